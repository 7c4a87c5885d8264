import WireFormat

/// What `geofenced mark --json` prints, schema `geofenced.mark/1`.
public struct MarkAnswer: Codable, Sendable {
    public var schema = "geofenced.mark/1"
    /// Uptime of the mark, milliseconds.
    public var monoMilliseconds: Int64
    /// Nil until a trusted time is known.
    public var time: WireTime?

    enum CodingKeys: String, CodingKey {
        case schema, time
        case monoMilliseconds = "mono_ms"
    }

    init(monoMilliseconds: Int64, time: WireTime?) {
        self.monoMilliseconds = monoMilliseconds
        self.time = time
    }
}
