import Geodesy
import Positioning
import Timekeeping
import WireFormat

/// What a source takes from one line of a recording.
enum RecordedLine: Hashable {
    /// Received bytes, at milliseconds since the start of the recording.
    case raw([UInt8], milliseconds: Int64)
    /// A decoded fix; its uptime is counted from the start of the recording.
    case fix(Fix)
    /// A record that is for others.
    case other

    /// Nil for a line that is no record, such as a torn last one.
    init?(_ line: [UInt8]) {
        guard let record = try? WireCoding.decode(Record.self, from: line),
            let content = record.content
        else { return nil }
        self = content
    }

    private struct Record: Decodable {
        var k: String
        var m: Int64?
        var s: String?
        var b64: String?
        var time: String?
        var lat: Double?
        var lon: Double?
        var accuracyMeters: Double?
        var speed: Double?
        var course: Double?
        var dimension: String?
        var quality: String?

        enum CodingKeys: String, CodingKey {
            case k, m, s, b64, time, lat, lon, dimension, quality
            case accuracyMeters = "accuracy_m"
            case speed = "speed_mps"
            case course = "course_deg"
        }

        var content: RecordedLine? {
            switch k {
            case "raw":
                guard let m, m >= 0, let bytes else { return nil }
                return .raw(bytes, milliseconds: m)
            case "fix":
                guard let m, m >= 0 else { return nil }
                return .fix(fix(Uptime(milliseconds: m)))
            default: return .other
            }
        }

        private var bytes: [UInt8]? {
            if let s { return Array(s.utf8) }
            return b64.flatMap(Base64.bytes)
        }

        private func fix(_ uptime: Uptime) -> Fix {
            let coordinate = lat.flatMap { lat in
                lon.flatMap { Coordinate(latitude: lat, longitude: $0) }
            }
            let hasTime = time.flatMap { UTCTime(rfc3339: $0) }
            return Fix(
                coordinate: coordinate, time: hasTime, isTimeTrusted: hasTime != nil,
                uptime: uptime,
                horizontalAccuracy: accuracyMeters.flatMap {
                    $0 > 0 ? HorizontalAccuracy(meters: $0, provenance: .receiver) : nil
                },
                speed: speed.flatMap { $0 >= 0 ? $0 : nil },
                course: course.flatMap { (0..<360).contains($0) ? $0 : nil },
                dimension: coordinate == nil
                    ? .none : dimension.flatMap(Dimension.init(rawValue:)) ?? .twoDimensional,
                quality: quality.flatMap(Quality.init(name:)) ?? .none, source: .recording)
        }
    }
}
