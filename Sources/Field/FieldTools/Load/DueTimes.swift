import Timekeeping

/// Who is due when, the earliest first: a binary heap.
public struct DueTimes: Sendable {
    private var heap: [(time: Uptime, index: Int)] = []

    public init() {}

    public var isEmpty: Bool { heap.isEmpty }

    public mutating func insert(_ index: Int, at time: Uptime) {
        heap.append((time, index))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].time < heap[parent].time else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// The earliest that is due; nil: nobody is.
    public mutating func next(at now: Uptime) -> Int? {
        guard let first = heap.first, first.time <= now else { return nil }
        return removeFirst(first.index)
    }

    /// Everybody, due or not.
    public mutating func removeAll() -> [Int] {
        defer { heap = [] }
        return heap.map(\.index)
    }

    private mutating func removeFirst(_ index: Int) -> Int {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return index }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].time < heap[least].time {
                least = child
            }
            guard least != parent else { return index }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
