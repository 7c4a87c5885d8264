/// How people are told, beside the journal and the event stream.
public struct NotifySettings: Codable, Sendable {
    /// The path of a program and its arguments, run for each notification; nil: none.
    public var command: [String]?
    /// Seconds after a notification within which only one of a greater priority is shown.
    public var burstSeconds = 0.0

    enum CodingKeys: String, CodingKey, CaseIterable {
        case command
        case burstSeconds = "burst_s"
    }

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        command = try container.decodeIfPresent([String].self, forKey: .command)
        if let command, !Self.isCommand(command) {
            throw DecodingError.dataCorruptedError(
                forKey: .command, in: container,
                debugDescription: "not a list of 1 to \(Self.maxArguments) texts that begins with "
                    + "the path of a program from /")
        }
        burstSeconds =
            try container.decodeIfPresent(Double.self, forKey: .burstSeconds, in: 0...86_400)
            ?? burstSeconds
    }

    static let maxArguments = 64

    private static func isCommand(_ command: [String]) -> Bool {
        guard let path = command.first, path.hasPrefix("/"), command.count <= maxArguments else {
            return false
        }
        return command.allSatisfy { $0.utf8.count <= 4095 && !$0.utf8.contains(0) }
    }
}
