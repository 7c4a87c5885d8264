/// How far apart the accepted fixes of a receiver usually are: the median of the last intervals.
///
/// Of an even number the lower middle counts, so that one outage at the start does not make the
/// next one look usual.
public struct NominalPeriod: Hashable, Sendable {
    public static let capacity = 5

    /// The last intervals, seconds, oldest first.
    public private(set) var intervals: [Double] = []
    /// Seconds; nil until there is an interval.
    public private(set) var seconds: Double?
    /// All intervals are the same: one more of them changes nothing.
    private var isUniform = false

    public init() {
        intervals.reserveCapacity(Self.capacity)
    }

    /// Continues from kept intervals; what does not fit is dropped.
    public init(intervals: [Double]) {
        self.init()
        for interval in intervals.suffix(Self.capacity) { add(interval) }
    }

    /// Takes in one interval between accepted fixes, seconds.
    public mutating func add(_ interval: Double) {
        if isUniform, interval == seconds, intervals.count == Self.capacity { return }
        defer { isUniform = intervals.allSatisfy { $0 == interval } }
        if intervals.count == Self.capacity { intervals.removeFirst() }
        intervals.append(interval)
        seconds = lowerMedian()
    }

    private func lowerMedian() -> Double? {
        let rank = (intervals.count - 1) / 2
        return intervals.first { candidate in
            let below = intervals.count { $0 < candidate }
            let upTo = intervals.count { $0 <= candidate }
            return below <= rank && rank < upTo
        }
    }
}
