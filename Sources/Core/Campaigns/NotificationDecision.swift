/// What was decided about telling somebody; recorded with the event.
public struct NotificationDecision: Hashable, Sendable {
    public var outcome: Outcome
    /// Why it was suppressed, a raw value of `Reason` or of `Transition.Reason`; nil otherwise.
    public var reason: String?
    public var campaignID: String?
    public var campaignVersion: Int?
    /// The arithmetic behind it; nil: there was none to do.
    public var basis: NotificationBasis?

    public init(
        outcome: Outcome, reason: String? = nil, campaignID: String? = nil,
        campaignVersion: Int? = nil, basis: NotificationBasis? = nil
    ) {
        self.outcome = outcome
        self.reason = reason
        self.campaignID = campaignID
        self.campaignVersion = campaignVersion
        self.basis = basis
    }

    /// No campaign wanted to say anything.
    public static let none = NotificationDecision(outcome: .none)

    public enum Outcome: String, Hashable, Sendable {
        case shown
        case suppressed
        case none
    }

    /// Why nothing is shown; raw values are `reason` on the wire.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Something was shown for the fence, or by the campaign, not long ago.
        case cooldown
        case quietHours = "quiet_hours"
        /// Outside all active windows.
        case window
        /// The campaign's number of notifications of this day is reached.
        case cap
        /// Another one of the same fix, or of the last seconds, matters as much or more.
        case burst
        /// Monitoring began inside, and the fence does not want that told.
        case initialEnter = "initial_enter"
        case notYetValid = "not_yet_valid"
        case expired
        /// Hours or validity matter and nobody knows what time it is.
        case timeUnknown = "time_unknown"
        /// Hours matter and the tz database does not have the fence's zone.
        case zoneUnknown = "zone_unknown"
        /// Hours of the fence that this version cannot read: they may be quiet ones.
        case unreadableRules = "unreadable_rules"
    }
}

/// The numbers behind a decision, as they were at that moment.
public struct NotificationBasis: Hashable, Sendable, Codable {
    /// Whose cooldown it is: fence | campaign.
    public var cooldownOf: String?
    public var cooldownSeconds: Double?
    /// Seconds since the notification that holds this one back, at least.
    public var sinceShownSeconds: Double?
    /// Seconds of the cooldown that are left, 0 ... `cooldownSeconds`.
    public var remainingSeconds: Double?
    /// What calendar and clock showed in `timezone`, `mon 23:14`.
    public var localTime: String?
    public var timezone: String?
    /// The window that decided: the quiet hours, or the active windows one after the other.
    public var window: String?
    /// Notifications of the campaign on that day before this one.
    public var shownToday: Int?
    public var maxPerDay: Int?
    /// The fence whose notification was shown instead.
    public var outrankedBy: String?

    public init() {}

    enum CodingKeys: String, CodingKey {
        case window, timezone
        case cooldownOf = "cooldown_of"
        case cooldownSeconds = "cooldown_s"
        case sinceShownSeconds = "since_shown_s"
        case remainingSeconds = "remaining_s"
        case localTime = "local_time"
        case shownToday = "shown_today"
        case maxPerDay = "max_per_day"
        case outrankedBy = "outranked_by"
    }
}

/// What the server says of an event's notification (`server_notification_verdict`).
public enum NotificationVerdict: String, Hashable, Sendable, CaseIterable {
    case allowed
    case cooldown
    case quietHours = "quiet_hours"
    case window
    case cap
    /// The server has no campaign for the event, or does not judge.
    case notApplicable = "not_applicable"
}
