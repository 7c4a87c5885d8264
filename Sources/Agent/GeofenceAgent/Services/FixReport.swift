import Positioning
import WireFormat

/// A fix as `watch --fixes` shows it.
public struct FixReport: Sendable, Encodable {
    public var time: WireTime?
    public var monoMilliseconds: Int64
    public var lat: Double?
    public var lon: Double?
    public var accuracyMeters: Double?
    public var speed: Double?
    public var dimension: String
    public var quality: String
    /// The verdict of the quality gate.
    public var verdict: String

    enum CodingKeys: String, CodingKey {
        case time, lat, lon, dimension, quality, verdict
        case monoMilliseconds = "mono_ms"
        case accuracyMeters = "accuracy_m"
        case speed = "speed_mps"
    }

    public init(_ fix: Fix, verdict: String) {
        time = fix.time.map(WireTime.init)
        monoMilliseconds = fix.uptime.milliseconds
        lat = fix.coordinate?.latitude
        lon = fix.coordinate?.longitude
        accuracyMeters = fix.horizontalAccuracy?.meters
        speed = fix.speed
        dimension = fix.dimension.rawValue
        quality = fix.quality.name
        self.verdict = verdict
    }
}
