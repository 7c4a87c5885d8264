import Campaigns
import Timekeeping
import WireFormat

/// What a person is to be told: the payload of every sink, schema `geofenced.notification/1`.
///
/// It holds no coordinates: where the device was is between it and its server.
public struct ShownNotification: Codable, Sendable {
    public var schema = "geofenced.notification/1"
    public var clientEventID: String
    public var queueEpoch: String
    public var sequence: Int64
    /// enter | exit | dwell | pass
    public var type: String
    public var fenceID: String
    public var fenceName: String
    public var campaignID: String
    public var campaignVersion: Int
    public var title: String
    public var body: String
    /// The campaign's own content for programs; nil: it has none.
    public var data: JSONValue?
    /// Null until known.
    public var occurredAt: WireTime?
    public var deviceID: String

    enum CodingKeys: String, CodingKey {
        case schema, type, title, body, data
        case clientEventID = "client_event_id"
        case queueEpoch = "queue_epoch"
        case sequence = "seq"
        case fenceID = "fence_id"
        case fenceName = "fence_name"
        case campaignID = "campaign_id"
        case campaignVersion = "campaign_version"
        case occurredAt = "occurred_at"
        case deviceID = "device_id"
    }

    init(_ event: WireEvent, _ fence: FenceNotices, _ campaign: Campaign, deviceID: String) {
        clientEventID = event.clientEventID.text
        queueEpoch = event.queueEpoch
        sequence = event.sequence
        type = event.type
        fenceID = fence.fenceID
        fenceName = fence.fenceName
        campaignID = campaign.id
        campaignVersion = campaign.version
        title = campaign.title
        body = campaign.body
        data =
            campaign.data.isEmpty
            ? nil : try? WireCoding.decode(JSONValue.self, from: campaign.data)
        occurredAt = event.occurredAt
        self.deviceID = deviceID
    }
}
