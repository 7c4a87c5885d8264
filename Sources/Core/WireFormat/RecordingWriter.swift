import Geofencing
import Positioning
import Timekeeping

/// Writes the lines of a recording.
public enum RecordingWriter {
    /// One line with its newline.
    public static func line(_ record: RecordingRecord) throws -> [UInt8] {
        var bytes = try WireCoding.encode(Line(record: record))
        bytes.append(0x0A)
        return bytes
    }

    private struct Line: Encodable {
        let record: RecordingRecord

        enum Keys: String, CodingKey {
            case k, io, m, u, fences, s, b64, stationary, fence, kind, label, link, server, verdict
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(record.content.kind, forKey: .k)
            try container.encode(record.content.direction, forKey: .io)
            try container.encode(record.milliseconds, forKey: .m)
            try container.encodeIfPresent(record.utc.map(WireTime.init), forKey: .u)
            try encodePayload(to: encoder, &container)
        }

        private func encodePayload(
            to encoder: any Encoder, _ container: inout KeyedEncodingContainer<Keys>
        ) throws {
            switch record.content {
            case .header(let header): try header.encode(to: encoder)
            case .fences(let fences): try container.encode(fences, forKey: .fences)
            case .raw(let bytes):
                if let text = Self.printable(bytes) {
                    try container.encode(text, forKey: .s)
                } else {
                    try container.encode(Base64.text(of: bytes), forKey: .b64)
                }
            case .fix(let fix): try RecordedFix(fix).encode(to: encoder)
            case .hint(let stationary): try container.encode(stationary, forKey: .stationary)
            case .mark(let fence, let kind, let label):
                try container.encodeIfPresent(fence, forKey: .fence)
                try container.encodeIfPresent(kind, forKey: .kind)
                try container.encodeIfPresent(label, forKey: .label)
            case .network(let link, let server):
                try container.encode(link, forKey: .link)
                try container.encodeIfPresent(server, forKey: .server)
            case .decision(let decision): try decision.encode(to: encoder)
            case .filter(let verdict): try container.encode(verdict, forKey: .verdict)
            case .restart, .unknownInput, .ignored: break
            }
        }

        /// The bytes as text where a text gives exactly these bytes back.
        private static func printable(_ bytes: [UInt8]) -> String? {
            let isPrintable = bytes.allSatisfy {
                (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x0D || $0 == 0x09
            }
            return isPrintable ? String(decoding: bytes, as: UTF8.self) : nil
        }
    }
}

extension RecordingRecord.Content {
    /// `k` of the line.
    public var kind: String {
        switch self {
        case .header: "header"
        case .fences: "fences"
        case .raw: "raw"
        case .fix: "fix"
        case .hint: "hint"
        case .restart: "restart"
        case .mark: "mark"
        case .network: "network"
        case .decision: "decision"
        case .filter: "filter"
        case .unknownInput(let kind), .ignored(let kind): kind
        }
    }

    /// `io` of the line.
    public var direction: String {
        switch self {
        case .header, .fences, .raw, .fix, .hint, .restart, .unknownInput: "in"
        case .decision: "out"
        case .mark, .network, .filter, .ignored: "obs"
        }
    }
}

/// The payload of a `fix` record.
private struct RecordedFix: Encodable {
    let fix: Fix

    init(_ fix: Fix) {
        self.fix = fix
    }

    enum CodingKeys: String, CodingKey {
        case time, lat, lon, dimension, quality, hdop, satellites
        case accuracyMeters = "accuracy_m"
        case speed = "speed_mps"
        case course = "course_deg"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(
            fix.isTimeTrusted ? fix.time.map(WireTime.init) : nil, forKey: .time)
        try container.encode(fix.coordinate?.latitude, forKey: .lat)
        try container.encode(fix.coordinate?.longitude, forKey: .lon)
        try container.encode(fix.horizontalAccuracy?.meters, forKey: .accuracyMeters)
        try container.encode(fix.speed, forKey: .speed)
        try container.encodeIfPresent(fix.course, forKey: .course)
        try container.encodeIfPresent(fix.hdop, forKey: .hdop)
        try container.encodeIfPresent(fix.satellitesUsed, forKey: .satellites)
        try container.encode(fix.dimension.rawValue, forKey: .dimension)
        try container.encode(fix.quality.name, forKey: .quality)
    }
}
