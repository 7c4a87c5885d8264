/// Where notifications come out of the device: a command, a message broker.
///
/// The control loop calls `show` after the event is on disk, and waits for it, so it must not block.
/// What cannot be taken is counted in `report`; the event tells in any case that it was shown.
public protocol NotificationSink: Sendable {
    func show(_ notification: ShownNotification)

    var report: NotificationSinkReport { get }
}

/// How a sink fared since the start, for `status`.
public struct NotificationSinkReport: Hashable, Sendable, Codable {
    /// `command`, ...
    public var name: String
    /// Taken and done.
    public var delivered = 0
    /// Taken, and ended in an error or in a time-out.
    public var failed = 0
    /// Not taken: too many waited.
    public var dropped = 0
    /// Taken and not done yet.
    public var waiting = 0
    public var lastFailure: String?

    public init(name: String) {
        self.name = name
    }

    enum CodingKeys: String, CodingKey {
        case name, delivered, failed, dropped, waiting
        case lastFailure = "last_failure"
    }
}
