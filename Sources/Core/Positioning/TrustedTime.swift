import Timekeeping

/// A UTC time and the uptime at which it held, of one boot.
public struct TrustedTime: Hashable, Sendable {
    public var time: UTCTime
    public var uptime: Uptime

    public init(time: UTCTime, uptime: Uptime) {
        self.time = time
        self.uptime = uptime
    }

    /// What the time is at another uptime of the same boot.
    public func time(at other: Uptime) -> UTCTime {
        let (elapsed, overflow) = other.milliseconds.subtractingReportingOverflow(
            uptime.milliseconds)
        return overflow ? time : time.advanced(byMilliseconds: elapsed)
    }
}
