import Delivery
import Timekeeping

/// An event as the server answers it.
public struct StoredEvent: Hashable, Sendable {
    /// Grows with every accepted event of the store: the order of receipt.
    public var receipt: Int64
    public var deviceID: String
    public var batchID: String
    public var receivedAt: UTCTime
    /// 1, 2, ...: the place of the event's epoch among those of its device, by first receipt.
    public var epochOrdinal: Int
    /// The device's own time, else one that a clock anchor of the same boot gives.
    public var occurredAt: UTCTime?
    public var detectedAt: UTCTime?
    /// Whether the device did not know the time yet, so that `occurredAt` comes from an anchor.
    public var cameWithoutOccurrence: Bool
    public var cameWithoutDetection: Bool
    /// The event as it came, a JSON object.
    public var document: [UInt8]
    /// A raw value of `NotificationVerdict`.
    public var verdict: String

    /// Nil: its times can be.
    public var timeFlag: TimeFlag? {
        TimeFlag(of: [occurredAt, detectedAt], receivedAt: receivedAt)
    }
}

/// Which events are asked for; nil: does not matter.
public struct EventFilter: Hashable, Sendable {
    public static let maximumLimit = 1_000

    public var deviceID: String?
    public var fenceID: String?
    public var kind: EventKind?
    public var visitID: String?
    public var queueEpoch: String?
    /// Resolved time of occurrence, else of receipt; from `since` on, before `until`.
    public var since: UTCTime?
    public var until: UTCTime?
    /// Only those received after (ascending) or before (descending) this receipt.
    public var cursor: Int64?
    public var isDescending = false
    /// 1 ... 1,000
    public var limit = 100

    public init() {}
}

/// A stay at a fence, put together from whatever events of it have arrived.
public struct StoredVisit: Hashable, Sendable {
    /// The order in which visits became known.
    public var receipt: Int64
    public var id: String
    public var deviceID: String
    public var fenceID: String?
    public var state: State
    public var startedAt: UTCTime?
    public var endedAt: UTCTime?
    /// As the device measured it.
    public var durationSeconds: Double?
    public var isInferred: Bool
    /// Why it ended, where that is not a plain exit.
    public var endReason: String?

    public enum State: String, Hashable, Sendable, CaseIterable {
        /// It has begun and no end is known.
        case open
        case closed
        /// Its end never came, but a later visit of the same device to the same fence did.
        case interrupted
        /// Its end came, its beginning did not (yet).
        case headless
    }
}

/// Which visits are asked for; nil: does not matter.
public struct VisitFilter: Hashable, Sendable {
    public var deviceID: String?
    public var fenceID: String?
    public var state: StoredVisit.State?
    public var cursor: Int64?
    /// 1 ... 1,000
    public var limit = 100

    public init() {}
}
