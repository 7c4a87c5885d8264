import Timekeeping
import WireFormat

/// What the control loop needs to decide and to tell notifications.
public struct NotificationSettings: Sendable {
    /// The tz database.
    public var zones: any TimeZoneSource
    /// Seconds after a notification within which only one of a greater priority is shown.
    public var burstSeconds = 0.0
    /// What the fences of the configuration have to tell; used where there is no server.
    public var fixed = NoticeSet()
    /// Beside the journal and the event stream.
    public var sinks: [any NotificationSink] = []

    public init(zones: any TimeZoneSource = NoTimeZones()) {
        self.zones = zones
    }
}

/// A tz database without a zone.
public struct NoTimeZones: TimeZoneSource {
    public init() {}

    public func rules(of name: TimeZoneName) -> TimeZoneRules? { nil }
}
