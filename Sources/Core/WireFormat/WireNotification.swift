import Campaigns
import Delivery

/// `notification{}` of an event.
public struct WireNotification: Hashable, Sendable, Codable {
    public var decision: String
    public var reason: String?
    public var campaignID: WireID?
    public var campaignVersion: Int?
    /// The numbers behind the decision; an addition to the wire that others may ignore.
    public var basis: NotificationBasis?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case decision, reason, basis
        case campaignID = "campaign_id"
        case campaignVersion = "campaign_version"
    }

    public init(_ decision: NotificationDecision) {
        self.decision = decision.outcome.rawValue
        reason = decision.reason
        campaignID = decision.campaignID.map(WireID.init)
        campaignVersion = decision.campaignVersion
        basis = decision.basis
    }
}

/// `evicted{}` of a `queue_evicted` event.
public struct WireEvicted: Hashable, Sendable, Codable {
    public var kind: String
    public var count: Int64
    public var firstSequence: Int64
    public var lastSequence: Int64

    enum CodingKeys: String, CodingKey, CaseIterable {
        case kind, count
        case firstSequence = "first_seq"
        case lastSequence = "last_seq"
    }

    public init(_ range: EvictedRange) {
        kind = range.kind.rawValue
        count = range.count
        firstSequence = range.firstSequence
        lastSequence = range.lastSequence
    }
}
