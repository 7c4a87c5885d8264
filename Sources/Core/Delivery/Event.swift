import Campaigns
import Geofencing
import Positioning
import Timekeeping

/// Something that happened, before the queue has given it its place and its name.
public struct EventDraft: Hashable, Sendable {
    public var kind: EventKind
    /// Nil for events that concern no fence.
    public var fenceID: String?
    public var fenceVersion: Int?
    public var bootID: BootID
    public var occurred: Moment
    public var occurredUncertaintySeconds: Double
    public var detected: Moment
    /// The wall clock when the event was made; diagnostic, never used for order.
    public var wallClock: WallClockReading
    public var timeQuality: TimeQuality
    public var isInitial: Bool
    public var isInferred: Bool
    /// Raw value of `Transition.Reason`, or the cause of a device event; nil: none.
    public var reason: String?
    /// The confirming fix; nil for events that rest on none.
    public var fix: Fix?
    public var evidence: Evidence?
    /// Seconds inside, on `exit` and `visit_ended`.
    public var durationSeconds: Double?
    /// An `exit` or `visit_ended` that ends a visit; an exit without a dwell before it ends none.
    public var endsVisit: Bool
    /// Whether somebody may be told of it; see `Transition.mayNotify`.
    public var mayNotify: Bool
    public var notification: NotificationDecision
    /// What a `queue_evicted` event counts.
    public var evicted: EvictedRange?

    public init(
        kind: EventKind, fenceID: String? = nil, fenceVersion: Int? = nil, bootID: BootID,
        occurred: Moment, occurredUncertaintySeconds: Double = 0, detected: Moment,
        wallClock: WallClockReading, timeQuality: TimeQuality, isInitial: Bool = false,
        isInferred: Bool = false, reason: String? = nil, fix: Fix? = nil,
        evidence: Evidence? = nil, durationSeconds: Double? = nil, endsVisit: Bool = false,
        mayNotify: Bool = true, notification: NotificationDecision = .none,
        evicted: EvictedRange? = nil
    ) {
        self.kind = kind
        self.fenceID = fenceID
        self.fenceVersion = fenceVersion
        self.bootID = bootID
        self.occurred = occurred
        self.occurredUncertaintySeconds = occurredUncertaintySeconds
        self.detected = detected
        self.wallClock = wallClock
        self.timeQuality = timeQuality
        self.isInitial = isInitial
        self.isInferred = isInferred
        self.reason = reason
        self.fix = fix
        self.evidence = evidence
        self.durationSeconds = durationSeconds
        self.endsVisit = endsVisit
        self.mayNotify = mayNotify
        self.notification = notification
        self.evicted = evicted
    }
}

/// A committed event. It never changes again.
public struct Event: Hashable, Sendable {
    /// UUIDv8 of SHA-256(device, epoch, boot, seq), lower case with hyphens.
    public var clientEventID: String
    public var position: QueuePosition
    /// UUIDv8 of SHA-256(device, fence, enter event); nil outside a visit.
    public var visitID: String?
    public var content: EventDraft

    public init(
        clientEventID: String, position: QueuePosition, visitID: String? = nil,
        content: EventDraft
    ) {
        self.clientEventID = clientEventID
        self.position = position
        self.visitID = visitID
        self.content = content
    }
}

/// Where an event stands among all events of its device.
public struct QueuePosition: Hashable, Sendable {
    /// 32 hex digits made with the queue file.
    public var epoch: String
    /// 1, 2, 3, ... without a gap within an epoch.
    public var sequence: Int64

    public init(epoch: String, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}
