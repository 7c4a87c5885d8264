import Geodesy

/// Where the device is and what the tracker needs kept, for `RegionBudget`.
public struct RegionSituation: Sendable {
    /// The accepted fix before, at most 120 s old; nil: there is none.
    public var from: Coordinate?
    /// The accepted fix.
    public var to: Coordinate
    /// 68 % radius of `to`, metres.
    public var accuracyMeters: Double
    /// Metres per second; nil: unknown.
    public var speed: Double?
    /// Ids whose state is inside, frozen ones included.
    public var inside: Set<String>
    /// Ids with a pending count.
    public var pending: Set<String>
    /// Of `inside`, those whose exit has begun and is not yet confirmed.
    public var leaving: Set<String>
    /// Fences to monitor at most; 0: none.
    public var limit: Int

    public init(
        from: Coordinate?, to: Coordinate, accuracyMeters: Double, speed: Double? = nil,
        inside: Set<String> = [], pending: Set<String> = [], leaving: Set<String> = [],
        limit: Int = RegionBudget.limit
    ) {
        self.from = from
        self.to = to
        self.accuracyMeters = accuracyMeters
        self.speed = speed
        self.inside = inside
        self.pending = pending
        self.leaving = leaving
        self.limit = limit
    }

    /// Metres by which a candidate must be nearer than the fence that it replaces.
    var marginMeters: Double { max(RegionBudget.marginMeters, 2 * accuracyMeters) }

    /// Metres within which a candidate is taken whenever it is nearer at all.
    var closeMeters: Double {
        max(RegionBudget.closeMeters, RegionBudget.closeSeconds * (speed ?? 0))
    }
}
