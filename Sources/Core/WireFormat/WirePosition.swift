import Geodesy
import Positioning

/// `position{}` of an event: the confirming fix.
public struct WirePosition: Hashable, Sendable, Codable {
    public var lat: Double
    public var lon: Double
    public var accuracyMeters: Double?
    public var speed: Double?
    public var course: Double?
    public var quality: String
    public var satellites: Int?
    public var hdop: Double?
    public var source: String
    public var integrityFlags: [String]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case lat, lon, quality, satellites, hdop, source
        case accuracyMeters = "accuracy_m"
        case speed = "speed_mps"
        case course = "course_deg"
        case integrityFlags = "integrity_flags"
    }

    /// Nil for a fix without a position.
    public init?(_ fix: Fix) {
        guard let coordinate = fix.coordinate else { return nil }
        lat = coordinate.latitude
        lon = coordinate.longitude
        accuracyMeters = fix.horizontalAccuracy?.meters
        speed = fix.speed
        course = fix.course
        quality = fix.quality.name
        satellites = fix.satellitesUsed
        hdop = fix.hdop
        source = fix.source.rawValue
        integrityFlags = fix.integrityFlags.names
    }
}
