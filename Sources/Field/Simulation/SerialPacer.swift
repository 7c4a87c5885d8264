/// Bytes on a serial line: each takes ten bit times, and none waits for a listener.
///
/// Times are seconds on any clock that does not go back.
public struct SerialPacer: Sendable {
    /// What could not be sent for so long, because this process stood still, never is.
    public static let longestDelaySeconds = 0.5

    public let bytesPerSecond: Double
    /// Bytes that were never sent.
    public private(set) var droppedCount = 0
    private var queue: [(ready: Double, bytes: ArraySlice<UInt8>)] = []
    /// When the line has sent everything that it was given.
    private var freeAt = -Double.infinity

    /// A start bit, eight data bits and a stop bit make a byte.
    public init(baud: Int) {
        bytesPerSecond = Double(max(1, baud)) / 10
    }

    public var isEmpty: Bool { queue.isEmpty }

    /// Hands over bytes that may leave from `ready` on.
    public mutating func enqueue(_ bytes: [UInt8], ready: Double) {
        if !bytes.isEmpty { queue.append((ready, bytes[...])) }
    }

    /// The bytes whose last bit has left by `now`, in order.
    public mutating func due(at now: Double) -> [UInt8] {
        var result: [UInt8] = []
        while let first = queue.first, first.ready < now {
            let start = max(first.ready, freeAt)
            if start < now - Self.longestDelaySeconds {
                skip(until: now - Self.longestDelaySeconds, from: start)
                continue
            }
            let possible = Int((now - start) * bytesPerSecond)
            guard possible > 0 else { break }
            result += take(min(possible, first.bytes.count), from: start)
        }
        return result
    }

    private mutating func skip(until time: Double, from start: Double) {
        let passed = max(1, Int((time - start) * bytesPerSecond))
        droppedCount += take(min(passed, queue.first?.bytes.count ?? 0), from: start).count
    }

    private mutating func take(_ count: Int, from start: Double) -> ArraySlice<UInt8> {
        let taken = queue[0].bytes.prefix(count)
        queue[0].bytes = queue[0].bytes.dropFirst(count)
        freeAt = start + Double(taken.count) / bytesPerSecond
        if queue[0].bytes.isEmpty { queue.removeFirst() }
        return taken
    }
}
