import Geofencing

/// A transition as `replay` prints it and recordings keep it (`decision`).
public struct WireDecision: Hashable, Sendable, Codable {
    public var type: Transition.Kind
    public var fenceID: WireID
    public var fenceVersion: Int
    /// Null until a trusted time is known.
    public var occurredAt: WireTime?
    public var occurredUncertaintySeconds: Double?
    public var detectedAt: WireTime?
    public var initial: Bool
    public var inferred: Bool
    public var reason: Transition.Reason?
    public var durationSeconds: Double?
    public var evidence: WireEvidence

    enum CodingKeys: String, CodingKey {
        case type, initial, inferred, reason, evidence
        case fenceID = "fence_id"
        case fenceVersion = "fence_version"
        case occurredAt = "occurred_at"
        case occurredUncertaintySeconds = "occurred_uncertainty_s"
        case detectedAt = "detected_at"
        case durationSeconds = "duration_s"
    }

    public init(_ transition: Transition) {
        type = transition.kind
        fenceID = WireID(transition.fenceID)
        fenceVersion = transition.fenceVersion
        occurredAt = transition.occurred.utc.map(WireTime.init)
        occurredUncertaintySeconds =
            transition.occurredUncertaintySeconds > 0
            ? transition.occurredUncertaintySeconds : nil
        detectedAt = transition.detected.utc.map(WireTime.init)
        initial = transition.isInitial
        inferred = transition.isInferred
        reason = transition.reason
        durationSeconds = transition.durationSeconds
        evidence = WireEvidence(transition.evidence)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(fenceID, forKey: .fenceID)
        try container.encode(fenceVersion, forKey: .fenceVersion)
        try container.encode(occurredAt, forKey: .occurredAt)
        try container.encodeIfPresent(
            occurredUncertaintySeconds, forKey: .occurredUncertaintySeconds)
        try container.encode(detectedAt, forKey: .detectedAt)
        try container.encode(initial, forKey: .initial)
        try container.encode(inferred, forKey: .inferred)
        try container.encode(reason, forKey: .reason)
        try container.encodeIfPresent(durationSeconds, forKey: .durationSeconds)
        try container.encode(evidence, forKey: .evidence)
    }
}
