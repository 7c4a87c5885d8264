import Timekeeping

/// What the time resolver makes of one epoch.
public struct ResolvedTime: Hashable, Sendable {
    /// Nil without a time of day, or while no date is known.
    public var time: UTCTime?
    public var isTrusted: Bool
    /// `.weekRollover`, `.timeStep`, or neither.
    public var flags: IntegrityFlags

    public init(time: UTCTime? = nil, isTrusted: Bool = false, flags: IntegrityFlags = []) {
        self.time = time
        self.isTrusted = isTrusted
        self.flags = flags
    }
}
