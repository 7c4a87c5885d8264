/// What was decided about telling somebody; recorded with the event.
public struct NotificationDecision: Hashable, Sendable {
    public var outcome: Outcome
    /// Why it was suppressed; nil otherwise.
    public var reason: String?
    public var campaignID: String?
    public var campaignVersion: Int?

    public init(
        outcome: Outcome, reason: String? = nil, campaignID: String? = nil,
        campaignVersion: Int? = nil
    ) {
        self.outcome = outcome
        self.reason = reason
        self.campaignID = campaignID
        self.campaignVersion = campaignVersion
    }

    /// No campaign wanted to say anything.
    public static let none = NotificationDecision(outcome: .none)

    public enum Outcome: String, Hashable, Sendable {
        case shown
        case suppressed
        case none
    }
}
