/// Where the device is told whether it stays where it is, for instance by the ignition.
public enum StationaryHint: Hashable, Sendable {
    case none
    /// A file that begins with 1 while the device stays, and with 0 while it may move.
    case file(String)
    /// A line of a GPIO chip, `gpiochip0` and 17: active while the device stays.
    case gpio(chip: String, line: Int)

    static let greatestLine = 65_535

    /// Nil for what is none of `none`, `file:PATH`, `gpio:CHIP/LINE`.
    public init?(_ text: String) {
        if text == "none" {
            self = .none
            return
        }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let rest = text[text.index(after: colon)...]
        switch text[..<colon] {
        case "file":
            guard rest.hasPrefix("/"), (2...4095).contains(rest.utf8.count),
                !rest.hasSuffix("/"), !rest.utf8.contains(0)
            else { return nil }
            self = .file(String(rest))
        case "gpio":
            let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, Self.isChip(parts[0]),
                parts[1].utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
                let line = Int(parts[1]), (0...Self.greatestLine).contains(line)
            else { return nil }
            self = .gpio(chip: String(parts[0]), line: line)
        default: return nil
        }
    }

    /// The name of a device below /dev.
    private static func isChip(_ name: Substring) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension StationaryHint: CustomStringConvertible {
    public var description: String {
        switch self {
        case .none: "none"
        case .file(let path): "file:\(path)"
        case .gpio(let chip, let line): "gpio:\(chip)/\(line)"
        }
    }
}

extension StationaryHint: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let hint = StationaryHint(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "'\(text.prefix(80))' is not allowed, allowed none, file:PATH "
                    + "with a path from /, gpio:CHIP/LINE such as gpio:gpiochip0/17")
        }
        self = hint
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
