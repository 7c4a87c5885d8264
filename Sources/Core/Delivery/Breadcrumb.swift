import Geodesy
import Timekeeping

/// Where the device was at a moment, for the device's own records.
///
/// Nothing is decided by it, it has no number and no receipt, and it never leaves the device.
public struct Breadcrumb: Hashable, Sendable {
    public var bootID: BootID
    public var uptime: Uptime
    /// Nil: not known when it was noted.
    public var time: UTCTime?
    public var coordinate: Coordinate
    /// The 68 % radius that decisions use, metres.
    public var accuracyMeters: Double
    /// Metres per second; nil: not known.
    public var speed: Double?

    public init(
        bootID: BootID, uptime: Uptime, time: UTCTime?, coordinate: Coordinate,
        accuracyMeters: Double, speed: Double?
    ) {
        self.bootID = bootID
        self.uptime = uptime
        self.time = time
        self.coordinate = coordinate
        self.accuracyMeters = accuracyMeters
        self.speed = speed
    }
}

/// How many positions a queue keeps, and what became of the others.
public struct BreadcrumbCounts: Hashable, Sendable {
    /// On the disk now.
    public var kept: Int64
    /// Gave way to newer ones or to events, since the start.
    public var dropped: Int64
    /// Could not be written, since the start.
    public var lost: Int64

    public init(kept: Int64 = 0, dropped: Int64 = 0, lost: Int64 = 0) {
        self.kept = kept
        self.dropped = dropped
        self.lost = lost
    }
}
