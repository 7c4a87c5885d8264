/// How much may still be worked out about overlaps, counted as edges that are looked at. Each takes
/// one or two nanoseconds on a server, and some on a Raspberry Pi.
public struct OverlapEffort: Hashable, Sendable {
    /// Edges; 0: nothing more is worked out.
    public private(set) var remaining: Int

    public init(limit: Int) {
        remaining = max(0, limit)
    }

    public var isUsedUp: Bool { remaining == 0 }

    /// False: no more of it is left than that; the work is not to be done.
    public mutating func spend(_ edges: Int, times count: Int = 1) -> Bool {
        let (product, isTooLarge) = edges.multipliedReportingOverflow(by: count)
        remaining = isTooLarge ? 0 : max(0, remaining - max(0, product))
        return remaining > 0
    }
}
