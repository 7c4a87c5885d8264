import Timekeeping

/// One instant on both scales: uptime always, UTC where a trusted time is known.
public struct Moment: Hashable, Sendable, Codable {
    /// Nil for a moment of an earlier boot that is known in UTC only.
    public var uptime: Uptime?
    /// Nil until a trusted time is known.
    public var utc: UTCTime?

    public init(uptime: Uptime?, utc: UTCTime?) {
        self.uptime = uptime
        self.utc = utc
    }

    private enum CodingKeys: String, CodingKey {
        case uptime = "mono_ms"
        case utc = "utc_ms"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        uptime = try container.decodeIfPresent(Int64.self, forKey: .uptime)
            .map(Uptime.init(milliseconds:))
        utc = try container.decodeIfPresent(Int64.self, forKey: .utc)
            .map(UTCTime.init(millisecondsSince1970:))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(uptime?.milliseconds, forKey: .uptime)
        try container.encodeIfPresent(utc?.millisecondsSince1970, forKey: .utc)
    }
}
