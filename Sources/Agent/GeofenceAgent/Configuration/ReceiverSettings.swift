import WireFormat

/// Where the positions come from.
public struct ReceiverSettings: Codable, Sendable {
    public var source = Source.auto
    /// Device or file; nil with `auto`: the first of the usual places that exists.
    public var path: String?
    /// Line speed; nil: hunted for.
    public var baud: Int?
    /// Where gpsd listens.
    public var host = GPSDAddress.usualHost
    public var port = GPSDAddress.usualPort
    /// Recorded seconds that pass in a second, with `file`.
    public var speed = 1

    public enum Source: String, Codable, Sendable, CaseIterable {
        case auto, serial, gpsd, file
    }

    /// Speeds that a receiver may have.
    public static let speeds = [
        4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600,
    ]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case source, path, baud, host, port, speed
    }

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        source = try container.decodeIfPresent(Source.self, forKey: .source) ?? source
        path = try container.decodePathIfPresent(forKey: .path)
        baud = try container.decodeIfPresent(Int.self, forKey: .baud)
        if let baud, !Self.speeds.contains(baud) {
            let allowed = Self.speeds.map(String.init).joined(separator: ", ")
            throw DecodingError.dataCorruptedError(
                forKey: .baud, in: container,
                debugDescription: "\(baud) is not a line speed, allowed \(allowed)")
        }
        host = try container.decodeIfPresent(String.self, forKey: .host) ?? host
        port = try container.decodeIfPresent(Int.self, forKey: .port, in: GPSDAddress.ports) ?? port
        try checkGPSD(container)
        speed = try container.decodeIfPresent(Int.self, forKey: .speed, in: 1...1000) ?? speed
        if speed != 1 && source != .file {
            throw DecodingError.dataCorruptedError(
                forKey: .speed, in: container,
                debugDescription: "\(speed) is for receiver.source file only")
        }
        if source != .auto, source != .gpsd, path == nil {
            throw DecodingError.dataCorruptedError(
                forKey: .source, in: container,
                debugDescription: "'\(source.rawValue)' needs receiver.path")
        }
    }

    /// gpsd has the devices, and its address must be one.
    private func checkGPSD(_ container: KeyedDecodingContainer<CodingKeys>) throws {
        guard GPSDAddress(host: host) != nil else {
            throw DecodingError.dataCorruptedError(
                forKey: .host, in: container,
                debugDescription: "'\(host.prefix(80))' is not a host name or an address")
        }
        if source == .gpsd, path != nil {
            throw DecodingError.dataCorruptedError(
                forKey: .path, in: container,
                debugDescription: "with source gpsd, gpsd has the device: leave path out")
        }
    }
}
