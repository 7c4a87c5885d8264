import Timekeeping

/// Ties the uptime of one boot to UTC, so that events decided without a clock get their time later.
public struct ClockAnchor: Hashable, Sendable {
    public var bootID: BootID
    public var uptime: Uptime
    public var utc: UTCTime
    public var source: Source

    public init(bootID: BootID, uptime: Uptime, utc: UTCTime, source: Source) {
        self.bootID = bootID
        self.uptime = uptime
        self.utc = utc
        self.source = source
    }

    public enum Source: String, Hashable, Sendable {
        case gnss
        case disciplined
    }

    /// The UTC of an uptime of the same boot.
    public func utc(at other: Uptime) -> UTCTime {
        utc.advanced(byMilliseconds: other.milliseconds - uptime.milliseconds)
    }
}
