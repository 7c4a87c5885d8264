import Timekeeping

/// One instant on both scales: uptime always, UTC where a trusted time is known.
public struct Moment: Hashable, Sendable, Codable {
    /// Nil for a moment of an earlier boot that is known in UTC only.
    public var uptime: Uptime?
    /// Nil until a trusted time is known.
    public var utc: UTCTime?

    /// What is read of either scale is within 30,000 years, so that differences and sums cannot
    /// overflow.
    static let limitMilliseconds: UInt64 = 1_000_000_000_000_000

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
        func milliseconds(_ key: CodingKeys) throws -> Int64? {
            let value = try container.decodeIfPresent(Int64.self, forKey: key)
            guard (value ?? 0).magnitude <= Self.limitMilliseconds else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "an impossible time")
            }
            return value
        }
        uptime = try milliseconds(.uptime).map(Uptime.init(milliseconds:))
        utc = try milliseconds(.utc).map(UTCTime.init(millisecondsSince1970:))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(uptime?.milliseconds, forKey: .uptime)
        try container.encodeIfPresent(utc?.millisecondsSince1970, forKey: .utc)
    }
}
