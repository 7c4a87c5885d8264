import Geofencing
import Timekeeping
import WireFormat

/// What `geofenced fences explain ID --json` prints, schema `geofenced.fence-explanation/1`.
public struct FenceReport: Codable, Sendable {
    public var schema = "geofenced.fence-explanation/1"
    public var fenceID: String
    public var name: String
    public var version: Int
    /// `unknown`, `outside` or `inside`.
    public var state: String
    public var since: WireTime?
    public var monitored: Bool
    /// Transitions that become events.
    public var reported: [String]
    /// `FenceExplanation.Why`: stable words for programs.
    public var why: String
    public var fix: Fix?
    public var measured: Measured?
    public var rows: [Row]
    public var dwell: Dwell?

    enum CodingKeys: String, CodingKey {
        case schema, name, version, state, since, monitored, reported, why, fix, measured, rows
        case dwell
        case fenceID = "fence_id"
    }

    /// The last accepted fix, without its place.
    public struct Fix: Codable, Sendable {
        public var time: WireTime?
        public var monoMilliseconds: Int64
        public var ageSeconds: Double
        public var accuracyMeters: Double
        public var speed: Double?
        /// Seconds since the device came to rest; nil: it moves.
        public var restSeconds: Double?

        enum CodingKeys: String, CodingKey {
            case time
            case monoMilliseconds = "mono_ms"
            case ageSeconds = "age_s"
            case accuracyMeters = "accuracy_m"
            case speed = "speed_mps"
            case restSeconds = "rest_s"
        }
    }

    /// What is compared with the boundary.
    public struct Measured: Codable, Sendable {
        /// `fix` or `mean`.
        public var basis: String
        public var fixes: Int
        public var signedDistanceMeters: Double
        public var accuracyMeters: Double

        enum CodingKeys: String, CodingKey {
            case basis, fixes
            case signedDistanceMeters = "signed_distance_m"
            case accuracyMeters = "accuracy_m"
        }
    }

    /// A row that would lead to the next transition.
    public struct Row: Codable, Sendable {
        public var rule: String
        public var kind: String
        public var neededDistanceMeters: Double
        public var missingMeters: Double
        public var confirmations: Int
        public var neededConfirmations: Int
        public var spanSeconds: Double
        public var neededSpanSeconds: Double
        public var neededSpeed: Double?

        enum CodingKeys: String, CodingKey {
            case rule, kind, confirmations
            case neededDistanceMeters = "needed_signed_distance_m"
            case missingMeters = "missing_m"
            case neededConfirmations = "needed_confirmations"
            case spanSeconds = "span_s"
            case neededSpanSeconds = "needed_span_s"
            case neededSpeed = "needed_speed_mps"
        }
    }

    /// The clock of the visit.
    public struct Dwell: Codable, Sendable {
        public var elapsedSeconds: Double
        public var neededSeconds: Double
        public var reached: Bool
        public var stopped: Bool

        enum CodingKeys: String, CodingKey {
            case reached, stopped
            case elapsedSeconds = "elapsed_s"
            case neededSeconds = "needed_s"
        }
    }
}

extension FenceReport {
    init(_ explanation: FenceExplanation, at now: Uptime) {
        let fence = explanation.fence
        fenceID = fence.id
        name = fence.name
        version = fence.version
        state = explanation.presence.rawValue
        since = explanation.since?.utc.map(WireTime.init)
        monitored = explanation.isMonitored
        reported = Transition.Kind.allCases.filter(fence.transitions.contains).map(\.rawValue)
        why = explanation.why.rawValue
        fix = explanation.fix.map { last in
            Fix(
                time: last.fix.time.map(WireTime.init),
                monoMilliseconds: last.fix.uptime.milliseconds,
                ageSeconds: now.seconds(since: last.fix.uptime),
                accuracyMeters: last.accuracyMeters, speed: last.fix.speed,
                restSeconds: explanation.restSeconds)
        }
        measured = explanation.measure.map { measure in
            Measured(
                basis: measure.meanFixes == nil ? "fix" : "mean", fixes: measure.meanFixes ?? 1,
                signedDistanceMeters: measure.signedDistanceMeters,
                accuracyMeters: measure.accuracyMeters)
        }
        rows = explanation.rows.map { row in
            Row(
                rule: row.rule, kind: row.kind.rawValue,
                neededDistanceMeters: row.neededDistanceMeters, missingMeters: row.missingMeters,
                confirmations: row.confirmations, neededConfirmations: row.neededConfirmations,
                spanSeconds: row.spanSeconds, neededSpanSeconds: row.neededSpanSeconds,
                neededSpeed: row.neededSpeed)
        }
        dwell = explanation.dwell.map { dwell in
            Dwell(
                elapsedSeconds: dwell.elapsedSeconds, neededSeconds: dwell.neededSeconds,
                reached: dwell.isReached, stopped: dwell.isStopped)
        }
    }
}
