/// What the time resolver made of the epochs that it saw.
public struct TimeResolverCounts: Hashable, Sendable {
    /// Epochs whose time is trusted.
    public var trusted = 0
    /// Epochs with a time that is not trusted (yet).
    public var untrusted = 0
    /// Epochs without a time of day, or with no date known for it.
    public var undated = 0
    /// Dates that were moved by a multiple of 1,024 weeks.
    public var rollovers = 0
    /// Dates that none can mean: those of a cold start, and those too far past the floor.
    public var refusedDates = 0
    /// Steps back that were tolerated.
    public var backwardSteps = 0
    /// Disagreements with the uptime that drop trust.
    public var jumps = 0

    public init() {}
}
