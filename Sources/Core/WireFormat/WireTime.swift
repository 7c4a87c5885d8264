import Timekeeping

/// A UTC time as it stands in JSON.
public struct WireTime: Hashable, Sendable, Codable {
    public var time: UTCTime

    public init(_ time: UTCTime) {
        self.time = time
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = UTCTime(rfc3339: text) else {
            throw WireError(
                pointer: WireError.pointer(decoder.codingPath),
                detail: "'\(text.prefix(40))' is not an RFC 3339 time")
        }
        self.time = time
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(time.rfc3339)
    }
}
