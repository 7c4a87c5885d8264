/// Whether the device keeps its positions for itself.
public struct BreadcrumbSettings: Codable, Sendable {
    public var isEnabled = false
    /// Positions are written together for so long, seconds; so many are lost with the power.
    public var groupSeconds = 30
    /// Bytes beyond which the oldest give way.
    public var maxBytes = 50_331_648

    enum CodingKeys: String, CodingKey, CaseIterable {
        case isEnabled = "enabled"
        case groupSeconds = "group_s"
        case maxBytes = "max_bytes"
    }

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isEnabled = try container.decodeIfPresent(Bool.self, forKey: .isEnabled) ?? isEnabled
        groupSeconds =
            try container.decodeIfPresent(Int.self, forKey: .groupSeconds, in: 20...30)
            ?? groupSeconds
        maxBytes =
            try container.decodeIfPresent(
                Int.self, forKey: .maxBytes, in: 1_048_576...17_179_869_184) ?? maxBytes
    }
}
