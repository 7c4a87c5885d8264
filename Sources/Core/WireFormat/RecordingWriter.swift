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
            case k, io, m, u, at, s, b64, event, stationary, state, lost, fence, kind, label, link
            case server, verdict
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(record.content.kind, forKey: .k)
            try container.encode(record.content.direction, forKey: .io)
            try container.encode(record.milliseconds, forKey: .m)
            try container.encodeIfPresent(record.utc.map(WireTime.init), forKey: .u)
            try container.encodeIfPresent(record.arrivedMilliseconds, forKey: .at)
            try encodePayload(to: encoder, &container)
        }

        private func encodePayload(
            to encoder: any Encoder, _ container: inout KeyedEncodingContainer<Keys>
        ) throws {
            switch record.content {
            case .header(let header): try header.encode(to: encoder)
            case .fences(let fences): try fences.encode(to: encoder)
            case .raw(let bytes), .report(let bytes): try encode(bytes, &container)
            case .source(let event): try container.encode(event, forKey: .event)
            case .fix(let fix): try RecordedFix(fix).encode(to: encoder)
            case .hint(let stationary): try container.encode(stationary, forKey: .stationary)
            case .restart(let state):
                try container.encodeIfPresent(
                    state.map { String(decoding: $0, as: UTF8.self) }, forKey: .state)
            case .gap(let lost): try container.encode(lost, forKey: .lost)
            case .mark(let fence, let kind, let label):
                try container.encodeIfPresent(fence, forKey: .fence)
                try container.encodeIfPresent(kind, forKey: .kind)
                try container.encodeIfPresent(label, forKey: .label)
            case .network(let link, let server):
                try container.encodeIfPresent(link, forKey: .link)
                try container.encodeIfPresent(server, forKey: .server)
            case .decision(let decision): try decision.encode(to: encoder)
            case .filter(let verdict): try container.encode(verdict, forKey: .verdict)
            case .tick, .unknownInput, .ignored: break
            }
        }

        private func encode(
            _ bytes: [UInt8], _ container: inout KeyedEncodingContainer<Keys>
        ) throws {
            if let text = Self.printable(bytes) {
                try container.encode(text, forKey: .s)
            } else {
                try container.encode(Base64.text(of: bytes), forKey: .b64)
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
        case .source: "source"
        case .fix: "fix"
        case .hint: "hint"
        case .tick: "tick"
        case .restart: "restart"
        case .gap: "gap"
        case .mark: "mark"
        case .network: "network"
        case .decision: "decision"
        case .filter: "filter"
        case .report: "report"
        case .unknownInput(let kind), .ignored(let kind): kind
        }
    }

    /// `io` of the line: fed, compared, or neither.
    public var direction: String {
        switch self {
        case .header, .fences, .raw, .source, .fix, .hint, .tick, .restart, .gap, .unknownInput:
            "in"
        case .decision: "out"
        case .mark, .network, .filter, .report, .ignored: "obs"
        }
    }
}
