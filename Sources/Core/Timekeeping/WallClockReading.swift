/// What the system's wall clock said, and whether anybody vouches for it.
public struct WallClockReading: Hashable, Sendable {
    public var time: UTCTime
    /// Whether the kernel reports the clock as disciplined (`adjtimex` without STA_UNSYNC).
    public var isSynchronised: Bool

    public init(time: UTCTime, isSynchronised: Bool) {
        self.time = time
        self.isSynchronised = isSynchronised
    }
}
