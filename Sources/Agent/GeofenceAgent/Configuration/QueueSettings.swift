/// Bounds of the queue on disk.
public struct QueueSettings: Codable, Sendable {
    /// Size of the database beyond which the oldest, least valuable events give way, bytes.
    public var maxBytes = 67_108_864

    enum CodingKeys: String, CodingKey, CaseIterable {
        case maxBytes = "max_bytes"
    }

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        maxBytes =
            try container.decodeIfPresent(
                Int.self, forKey: .maxBytes, in: 1_048_576...17_179_869_184) ?? maxBytes
    }
}
