/// Where the rules of time zones come from.
public protocol TimeZoneSource: Sendable {
    /// The rules of a zone by its IANA name; nil: there is no such zone, or it cannot be read.
    func rules(of name: TimeZoneName) -> TimeZoneRules?
}

/// A name as the tz database has them, `America/Argentina/Ushuaia`; safe as a path below a folder.
public struct TimeZoneName: Hashable, Sendable {
    /// Bytes of a name.
    public static let bytes = 1...64
    public let text: String

    /// Nil unless each part between slashes begins with a letter and holds nothing but ASCII
    /// letters, digits, `+`, `-` and `_`, so that no name leads out of the folder.
    public init?(_ text: String) {
        guard Self.bytes.contains(text.utf8.count) else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy(Self.isPart) else { return nil }
        self.text = text
    }

    private static func isPart(_ part: Substring) -> Bool {
        guard let first = part.utf8.first, first.isASCIILetter else { return false }
        return part.utf8.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
}

extension UInt8 {
    var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
