import Delivery
import Timekeeping

/// The body of `POST /v1/events/batch`.
public struct EventBatch: Hashable, Sendable, Codable {
    public var batchID: WireID
    public var deviceID: WireID
    public var sentAt: WireTime
    public var queue: Queue
    public var clockAnchors: [WireClockAnchor]
    /// At most 500.
    public var events: [WireEvent]

    public init(
        batchID: String, deviceID: String, sentAt: UTCTime, queue: Queue,
        clockAnchors: [ClockAnchor], events: [WireEvent]
    ) {
        self.batchID = WireID(batchID)
        self.deviceID = WireID(deviceID)
        self.sentAt = WireTime(sentAt)
        self.queue = queue
        self.clockAnchors = clockAnchors.map(WireClockAnchor.init)
        self.events = events
    }

    enum CodingKeys: String, CodingKey {
        case queue, events
        case batchID = "batch_id"
        case deviceID = "device_id"
        case sentAt = "sent_at"
        case clockAnchors = "clock_anchors"
    }

    /// How full the device's queue is.
    public struct Queue: Hashable, Sendable, Codable {
        public var pending: Int64
        public var dead: Int64
        /// Time of the oldest pending event; nil when none is pending or its time is not known.
        public var oldest: WireTime?

        public init(pending: Int64, dead: Int64, oldest: UTCTime?) {
            self.pending = pending
            self.dead = dead
            self.oldest = oldest.map(WireTime.init)
        }
    }
}

/// One of `clock_anchors[]`.
public struct WireClockAnchor: Hashable, Sendable, Codable {
    public var bootID: String
    public var monoMilliseconds: Int64
    public var utc: WireTime
    public var source: String

    enum CodingKeys: String, CodingKey {
        case utc, source
        case bootID = "boot_id"
        case monoMilliseconds = "mono_ms"
    }

    public init(_ anchor: ClockAnchor) {
        bootID = anchor.bootID.text
        monoMilliseconds = anchor.uptime.milliseconds
        utc = WireTime(anchor.utc)
        source = anchor.source.rawValue
    }
}
