import Positioning
import WireFormat

/// A fix as `watch --fixes` shows it: what the receiver said, and what the quality gate thinks.
public struct FixReport: Sendable, Codable {
    public var time: WireTime?
    public var isTimeTrusted: Bool
    public var monoMilliseconds: Int64
    public var lat: Double?
    public var lon: Double?
    public var altitudeMeters: Double?
    /// The receiver's own claim as a 68 % radius; nil: it made none.
    public var accuracyMeters: Double?
    /// Where that claim comes from: receiver | gst | hdop | configured.
    public var accuracySource: String?
    /// What decisions use instead: scaled, floored, never unknown.
    public var gateAccuracyMeters: Double
    public var speed: Double?
    public var course: Double?
    public var hdop: Double?
    public var satellitesUsed: Int?
    public var satellitesInView: Int?
    public var bestSignal: Int?
    public var dimension: String
    public var quality: String
    public var source: String
    public var integrityFlags: [String]
    /// The verdict of the quality gate.
    public var verdict: String
    /// Whether the fix may decide what the state of a fence is at the start.
    public var seedsState: Bool
    /// Whether it was shown before, as quarantined, and is released now.
    public var isReleased: Bool

    enum CodingKeys: String, CodingKey {
        case time, lat, lon, hdop, dimension, quality, source, verdict
        case isTimeTrusted = "time_trusted"
        case monoMilliseconds = "mono_ms"
        case altitudeMeters = "altitude_m"
        case accuracyMeters = "accuracy_m"
        case accuracySource = "accuracy_source"
        case gateAccuracyMeters = "gate_accuracy_m"
        case speed = "speed_mps"
        case course = "course_deg"
        case satellitesUsed = "satellites_used"
        case satellitesInView = "satellites_in_view"
        case bestSignal = "best_cn0_dbhz"
        case integrityFlags = "integrity_flags"
        case seedsState = "seeds_state"
        case isReleased = "released"
    }

    public init(_ judged: FilteredFix, isReleased: Bool = false) {
        let fix = judged.fix
        time = fix.time.map(WireTime.init)
        isTimeTrusted = fix.isTimeTrusted
        monoMilliseconds = fix.uptime.milliseconds
        lat = fix.coordinate?.latitude
        lon = fix.coordinate?.longitude
        altitudeMeters = fix.altitudeMeters
        accuracyMeters = fix.horizontalAccuracy?.meters
        accuracySource = fix.horizontalAccuracy?.provenance.rawValue
        gateAccuracyMeters = judged.accuracyMeters
        speed = fix.speed
        course = fix.course
        hdop = fix.hdop
        satellitesUsed = fix.satellitesUsed
        satellitesInView = fix.satellitesInView
        bestSignal = fix.bestSignal
        dimension = fix.dimension.rawValue
        quality = fix.quality.name
        source = fix.source.rawValue
        integrityFlags = fix.integrityFlags.names
        verdict = judged.verdict.rawValue
        seedsState = judged.seedsState
        self.isReleased = isReleased
    }
}
