/// Durations by size, each bin 2 % wider than the one before, so that memory is bounded and a
/// quantile is off by 2 % at most.
public struct LatencyHistogram: Hashable, Sendable {
    /// The upper end of the first bin, seconds.
    private static let first = 10e-6
    private static let growth = 1.02
    /// Up to about an hour.
    private static let bounds: [Double] = {
        var bounds = [first]
        while let last = bounds.last, last < 3_600 { bounds.append(last * growth) }
        return bounds
    }()

    private var bins = [Int](repeating: 0, count: Self.bounds.count)
    public private(set) var count = 0
    /// Seconds; 0 where there is none.
    public private(set) var longest = 0.0

    public init() {}

    public mutating func add(_ seconds: Double) {
        var low = 0
        var high = Self.bounds.count - 1
        while low < high {
            let middle = (low + high) / 2
            if Self.bounds[middle] < seconds { low = middle + 1 } else { high = middle }
        }
        bins[low] += 1
        count += 1
        longest = max(longest, seconds)
    }

    public mutating func add(_ other: LatencyHistogram) {
        for index in bins.indices { bins[index] += other.bins[index] }
        count += other.count
        longest = max(longest, other.longest)
    }

    /// The duration that a share 0 ... 1 of all does not exceed, seconds; nil: there is none.
    public func quantile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        let rank = max(1, Int((share * Double(count)).rounded(.up)))
        var seen = 0
        for (index, bin) in bins.enumerated() {
            seen += bin
            if seen >= rank { return min(Self.bounds[index], longest) }
        }
        return longest
    }
}
