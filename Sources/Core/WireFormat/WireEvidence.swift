import Geofencing

/// `evidence{}` of an event.
public struct WireEvidence: Hashable, Sendable, Codable {
    public var rule: String
    public var signedDistanceMeters: Double?
    public var accuracyMeters: Double?
    public var confirmations: Int
    public var spanSeconds: Double
    /// Also the `max_gap_s` of an inferred dwell.
    public var gapSeconds: Double?
    public var stationary: Bool
    public var entered: WireTime?
    public var left: WireTime?
    public var chordMeters: Double?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case rule, confirmations, stationary
        case signedDistanceMeters = "signed_distance_m"
        case accuracyMeters = "accuracy_m"
        case spanSeconds = "span_s"
        case gapSeconds = "gap_s"
        case entered = "t_in"
        case left = "t_out"
        case chordMeters = "chord_m"
    }

    public init(_ evidence: Evidence) {
        rule = evidence.rule
        signedDistanceMeters = evidence.signedDistanceMeters
        accuracyMeters = evidence.accuracyMeters
        confirmations = evidence.confirmations
        spanSeconds = evidence.spanSeconds
        gapSeconds = evidence.gapSeconds
        stationary = evidence.isStationary
        entered = evidence.chord?.entered.utc.map(WireTime.init)
        left = evidence.chord?.left.utc.map(WireTime.init)
        chordMeters = evidence.chord?.lengthMeters
    }
}
