import ConfigurationFile

/// A configuration as the agent declares its own: defaults and ranges in the type, plain stdlib errors.
struct SampleConfiguration: Codable, Equatable {
    struct Server: Codable, Equatable {
        var url: String
        var keyFile: String?

        enum CodingKeys: String, CodingKey {
            case url
            case keyFile = "key_file"
        }
    }

    struct Receiver: Codable, Equatable {
        enum Source: String, Codable, CaseIterable { case auto, serial, gpsd }

        var source = Source.auto
        var port = 2947
        var ratio = 1.0
        var isPassive = false

        enum CodingKeys: String, CodingKey {
            case source, port, ratio
            case isPassive = "passive"
        }

        init() {}

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: CodingKeys.self)
            source = try keys.decodeIfPresent(Source.self, forKey: .source) ?? source
            port = try keys.decodeIfPresent(Int.self, forKey: .port) ?? port
            ratio = try keys.decodeIfPresent(Double.self, forKey: .ratio) ?? ratio
            isPassive = try keys.decodeIfPresent(Bool.self, forKey: .isPassive) ?? isPassive
            guard (1...65_535).contains(port) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .port, in: keys,
                    debugDescription: "\(port) is out of range, allowed 1...65535")
            }
        }
    }

    var server: Server?
    var receiver = Receiver()
    var command: [String] = []
    var small: UInt8 = 7
    var labels: [String: Int] = [:]

    enum CodingKeys: String, CodingKey { case server, receiver, command, small, labels }

    init() {}

    init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: CodingKeys.self)
        server = try keys.decodeIfPresent(Server.self, forKey: .server)
        receiver = try keys.decodeIfPresent(Receiver.self, forKey: .receiver) ?? receiver
        command = try keys.decodeIfPresent([String].self, forKey: .command) ?? command
        small = try keys.decodeIfPresent(UInt8.self, forKey: .small) ?? small
        labels = try keys.decodeIfPresent([String: Int].self, forKey: .labels) ?? labels
    }

    static func decode(_ text: String) throws -> DecodedConfiguration<SampleConfiguration> {
        try ConfigurationFile(Array(text.utf8), name: "a.yaml").decode(SampleConfiguration.self)
    }
}
