/// What the quality gate thinks of one epoch; the raw value stands in `filter` records.
public enum FixVerdict: String, Hashable, Sendable, CaseIterable {
    case ok
    /// Good enough to prove a departure and nothing else.
    case departOnly
    /// Too far from the last accepted fix; held until others agree with it.
    case quarantined
    case inaccurate
    /// The time does not advance, or the position is frozen.
    case stale
    case nullIsland
    /// No position, or one that no satellite gave (manual, simulated).
    case invalid
    /// Dead reckoning that is not accepted.
    case estimated

    /// Whether the fence tracker may draw conclusions from the fix.
    public var isAccepted: Bool { self == .ok || self == .departOnly }
}
