import Campaigns
import Delivery
import Timekeeping

/// A batch of events that has been checked and is ready to be kept.
public struct IncomingBatch: Sendable {
    public var batchID: String
    public var report: DeviceReport
    public var deviceID: String
    public var anchors: [Anchor]
    public var events: [IncomingEvent]

    public struct Anchor: Hashable, Sendable {
        public var bootID: String
        public var monoMilliseconds: Int64
        public var utc: UTCTime
        /// "gnss" or "disciplined"
        public var source: String
    }
}

/// One event, with what the server orders, counts and derives by taken out of its text.
public struct IncomingEvent: Hashable, Sendable {
    public var clientEventID: String
    /// SHA-256 of the canonical form of the event.
    public var payloadHash: [UInt8]
    public var queueEpoch: String
    public var sequence: Int64
    public var bootID: String
    public var kind: EventKind
    public var fenceID: String?
    public var visitID: String?
    public var occurredAt: UTCTime?
    /// Uptime of the occurrence in its boot.
    public var occurredMonoMilliseconds: Int64?
    public var detectedAt: UTCTime?
    public var monoMilliseconds: Int64?
    public var durationSeconds: Double?
    public var isInferred: Bool
    public var reason: String?
    /// What the device decided about telling somebody.
    public var notification: NotificationDecision
    /// The event as it came, a JSON object in canonical form.
    public var document: [UInt8]
}

/// What became of one event of a batch.
public enum EventOutcome: Hashable, Sendable {
    case accepted(NotificationVerdict)
    /// It is there already with the same payload; the verdict is the one that it got then.
    case duplicate(NotificationVerdict)
    /// Its id is there already with another payload.
    case idReused
    /// The workspace has used up its events; the device may try again after so many seconds.
    case deferred(code: String, retryAfterSeconds: Double)
}

/// What a device says about itself, in a heartbeat or with a batch.
public struct DeviceReport: Hashable, Sendable {
    public var userID: String?
    /// The User-Agent field.
    public var agent: String?
    public var pending: Int64?
    public var dead: Int64?
    /// The body of a heartbeat, a JSON object; nil: this is none.
    public var heartbeat: [UInt8]?
}
