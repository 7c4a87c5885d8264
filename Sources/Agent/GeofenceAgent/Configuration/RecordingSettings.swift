/// Whether drives are recorded, and where.
public struct RecordingSettings: Codable, Sendable {
    public var isEnabled = false
    /// Nil: `recordings` in the state directory.
    public var directory: String?
    /// Bytes of all recordings together, beyond which the oldest file goes.
    public var maxBytes = 268_435_456

    enum CodingKeys: String, CodingKey, CaseIterable {
        case directory
        case isEnabled = "enabled"
        case maxBytes = "max_bytes"
    }

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isEnabled = try container.decodeIfPresent(Bool.self, forKey: .isEnabled) ?? isEnabled
        directory = try container.decodeIfPresent(String.self, forKey: .directory)
        maxBytes =
            try container.decodeIfPresent(
                Int.self, forKey: .maxBytes, in: 1_048_576...17_179_869_184) ?? maxBytes
    }
}
