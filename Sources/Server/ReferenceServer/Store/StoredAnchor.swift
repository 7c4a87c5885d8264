import Timekeeping

/// What ties the uptime of one boot of a device to UTC.
public struct StoredAnchor: Hashable, Sendable {
    public var bootID: String
    public var monoMilliseconds: Int64
    public var utc: UTCTime
    /// What knew the time, such as "gnss".
    public var source: String
}
