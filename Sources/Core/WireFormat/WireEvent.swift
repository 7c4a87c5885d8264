import Delivery
import Geodesy
import Geofencing
import Positioning
import Timekeeping

/// An event as it is uploaded, shown by `events` and `watch`, and kept by the server.
public struct WireEvent: Hashable, Sendable, Codable {
    public var clientEventID: WireID
    public var queueEpoch: String
    public var sequence: Int64
    public var bootID: String
    public var type: String
    public var fenceID: WireID?
    public var fenceVersion: Int?
    public var visitID: WireID?
    /// Null until known.
    public var occurredAt: WireTime?
    public var occurredUncertaintySeconds: Double?
    /// Uptime of the occurrence where it differs from `monoMilliseconds`, so that a clock anchor
    /// can resolve it too; an addition to the wire that others may ignore.
    public var occurredMonoMilliseconds: Int64?
    /// Null until known.
    public var detectedAt: WireTime?
    /// Uptime of the detection; null for an event of another boot's moment.
    public var monoMilliseconds: Int64?
    public var wallAt: WireTime
    public var wallSynchronised: Bool
    public var timeQuality: String
    public var initial: Bool
    public var inferred: Bool
    public var reason: String?
    public var position: WirePosition?
    public var evidence: WireEvidence?
    public var durationSeconds: Double?
    public var notification: WireNotification
    /// What the server says of the notification, where it thinks otherwise; put there by `events`
    /// and `explain`, never sent.
    public var serverNotificationVerdict: String?
    public var evicted: WireEvicted?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case serverNotificationVerdict = "server_notification_verdict"
        case type, initial, inferred, reason, position, evidence, notification, evicted
        case clientEventID = "client_event_id"
        case queueEpoch = "queue_epoch"
        case sequence = "seq"
        case bootID = "boot_id"
        case fenceID = "fence_id"
        case fenceVersion = "fence_version"
        case visitID = "visit_id"
        case occurredAt = "occurred_at"
        case occurredUncertaintySeconds = "occurred_uncertainty_s"
        case occurredMonoMilliseconds = "occurred_mono_ms"
        case detectedAt = "detected_at"
        case monoMilliseconds = "mono_ms"
        case wallAt = "wall_at"
        case wallSynchronised = "wall_synchronised"
        case timeQuality = "time_quality"
        case durationSeconds = "duration_s"
    }

    public init(_ event: Event) {
        let content = event.content
        clientEventID = WireID(event.clientEventID)
        queueEpoch = event.position.epoch
        sequence = event.position.sequence
        bootID = content.bootID.text
        type = content.kind.rawValue
        fenceID = content.fenceID.map(WireID.init)
        fenceVersion = content.fenceVersion
        visitID = event.visitID.map(WireID.init)
        occurredAt = content.occurred.utc.map(WireTime.init)
        occurredUncertaintySeconds =
            content.occurredUncertaintySeconds > 0 ? content.occurredUncertaintySeconds : nil
        detectedAt = content.detected.utc.map(WireTime.init)
        monoMilliseconds = content.detected.uptime?.milliseconds
        occurredMonoMilliseconds = content.occurred.uptime.flatMap {
            $0 == content.detected.uptime ? nil : $0.milliseconds
        }
        wallAt = WireTime(content.wallClock.time)
        wallSynchronised = content.wallClock.isSynchronised
        timeQuality = content.timeQuality.rawValue
        initial = content.isInitial
        inferred = content.isInferred
        reason = content.reason
        position = content.fix.flatMap(WirePosition.init)
        evidence = content.evidence.map(WireEvidence.init)
        durationSeconds = content.durationSeconds
        notification = WireNotification(content.notification)
        evicted = content.evicted.map(WireEvicted.init)
    }

    /// Writes nulls where the wire says "null until known", so that a reader sees the difference
    /// between unknown and not applicable.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(clientEventID, forKey: .clientEventID)
        try container.encode(queueEpoch, forKey: .queueEpoch)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(bootID, forKey: .bootID)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(fenceID, forKey: .fenceID)
        try container.encodeIfPresent(fenceVersion, forKey: .fenceVersion)
        try container.encodeIfPresent(visitID, forKey: .visitID)
        try container.encode(occurredAt, forKey: .occurredAt)
        try container.encodeIfPresent(
            occurredUncertaintySeconds, forKey: .occurredUncertaintySeconds)
        try container.encodeIfPresent(occurredMonoMilliseconds, forKey: .occurredMonoMilliseconds)
        try container.encode(detectedAt, forKey: .detectedAt)
        try container.encode(monoMilliseconds, forKey: .monoMilliseconds)
        try container.encode(wallAt, forKey: .wallAt)
        try container.encode(wallSynchronised, forKey: .wallSynchronised)
        try container.encode(timeQuality, forKey: .timeQuality)
        try container.encode(initial, forKey: .initial)
        try container.encode(inferred, forKey: .inferred)
        try container.encodeIfPresent(reason, forKey: .reason)
        try container.encodeIfPresent(position, forKey: .position)
        try container.encodeIfPresent(evidence, forKey: .evidence)
        try container.encodeIfPresent(durationSeconds, forKey: .durationSeconds)
        try container.encode(notification, forKey: .notification)
        try container.encodeIfPresent(
            serverNotificationVerdict, forKey: .serverNotificationVerdict)
        try container.encodeIfPresent(evicted, forKey: .evicted)
    }
}
