/// How events leave the device, where the server does not say.
public struct UploadSettings: Codable, Sendable {
    /// After a burst of four requests one more becomes free every so many seconds, 0 ... 3600; 0: no
    /// limit.
    public var intervalSeconds = 60
    /// Events in one request.
    public var maxBatch = 200

    enum CodingKeys: String, CodingKey, CaseIterable {
        case intervalSeconds = "interval_s"
        case maxBatch = "max_batch"
    }

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        intervalSeconds =
            try container.decodeIfPresent(Int.self, forKey: .intervalSeconds, in: 0...3_600)
            ?? intervalSeconds
        maxBatch =
            try container.decodeIfPresent(Int.self, forKey: .maxBatch, in: 1...500) ?? maxBatch
    }
}
