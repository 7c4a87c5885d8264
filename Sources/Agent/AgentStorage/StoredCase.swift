import Campaigns
import Delivery
import Positioning

/// One of a few values, which a payload holds by its place in their list.
protocol StoredCase: Equatable {
    /// All of them. For ever: rows on disk rest upon their order; new ones go to the end,
    /// with a new version of `QueueSchema`.
    static var stored: [Self] { get }
}

extension EventKind: StoredCase {
    static let stored: [EventKind] = [
        .enter, .exit, .dwell, .pass, .visitStarted, .visitEnded, .coverageLost,
        .coverageRestored, .queueEvicted, .stateReset, .moved,
    ]
}

extension TimeQuality: StoredCase {
    static let stored: [TimeQuality] = [
        .gnss, .gnssUnconfirmed, .disciplined, .monotonicOnly, .suspect,
    ]
}

extension NotificationDecision.Outcome: StoredCase {
    static let stored: [NotificationDecision.Outcome] = [.none, .shown, .suppressed]
}

extension FixOrigin: StoredCase {
    static let stored: [FixOrigin] = [.nmea, .gpsd, .recording, .fixed]
}

extension Quality: StoredCase {
    /// `other` without its number, which is not in an event.
    static let stored: [Quality] = [
        .none, .autonomous, .differential, .pps, .rtkFixed, .rtkFloat, .estimated, .manual,
        .simulated, .other(0),
    ]
}
