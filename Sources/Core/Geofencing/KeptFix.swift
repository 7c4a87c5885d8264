import Geodesy
import Positioning
import Timekeeping

/// An accepted fix as it is kept over a restart: what later decisions need of it.
public struct KeptFix: Hashable, Sendable, Codable {
    var latitude: Double
    var longitude: Double
    var accuracyMeters: Double
    var speed: Double?
    var uptime: Int64
    var utc: Int64?
    var isTimeTrusted: Bool
    var isCoarse: Bool
    var seedsState: Bool
    var source: String

    enum CodingKeys: String, CodingKey {
        case source, utc
        case latitude = "lat"
        case longitude = "lon"
        case accuracyMeters = "accuracy_m"
        case speed = "speed_mps"
        case uptime = "mono_ms"
        case isTimeTrusted = "trusted"
        case isCoarse = "coarse"
        case seedsState = "seeds"
    }

    /// Nil for a fix without a position.
    init?(_ fix: FilteredFix) {
        guard let coordinate = fix.fix.coordinate else { return nil }
        latitude = coordinate.latitude
        longitude = coordinate.longitude
        accuracyMeters = fix.accuracyMeters
        speed = fix.fix.speed
        uptime = fix.fix.uptime.milliseconds
        utc = fix.fix.time?.millisecondsSince1970
        isTimeTrusted = fix.fix.isTimeTrusted
        isCoarse = fix.verdict == .departOnly
        seedsState = fix.seedsState
        source = fix.fix.source.rawValue
    }

    /// Whether its times can be reckoned with.
    var isPossible: Bool {
        max(uptime.magnitude, (utc ?? 0).magnitude) <= Moment.limitMilliseconds
    }

    /// The fix again, on an uptime scale that is `shift` milliseconds ahead; nil where the kept
    /// values are damaged.
    func filtered(shiftMilliseconds shift: Int64) -> FilteredFix? {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude),
            accuracyMeters > 0, accuracyMeters.isFinite
        else { return nil }
        return FilteredFix(
            fix: Fix(
                coordinate: coordinate,
                time: utc.map(UTCTime.init(millisecondsSince1970:)),
                isTimeTrusted: isTimeTrusted,
                uptime: Uptime(milliseconds: uptime.addingReportingOverflow(shift).partialValue),
                horizontalAccuracy: HorizontalAccuracy(
                    meters: accuracyMeters, provenance: .receiver),
                speed: speed, dimension: .threeDimensional, quality: .autonomous,
                source: FixOrigin(rawValue: source) ?? .recording),
            verdict: isCoarse ? .departOnly : .ok, accuracyMeters: accuracyMeters,
            seedsState: seedsState)
    }
}
