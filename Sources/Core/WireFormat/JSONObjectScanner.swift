/// Takes one line of JSON apart without building values: names and the bytes of their values.
///
/// Recordings have millions of short flat objects; a general decoder spends most of a replay on
/// them. Strings with escapes are left to the general decoder.
struct JSONObjectScanner {
    private let bytes: ArraySlice<UInt8>
    private(set) var members: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []

    /// Nil unless the bytes are one object, as far as its outline goes.
    init?(_ line: ArraySlice<UInt8>) {
        bytes = line
        var position = line.startIndex
        guard take(UInt8(ascii: "{"), &position) else { return nil }
        members.reserveCapacity(12)
        skipSpace(&position)
        if take(UInt8(ascii: "}"), &position) {
            guard endsCleanly(position) else { return nil }
            return
        }
        repeat {
            skipSpace(&position)
            guard let name = string(&position) else { return nil }
            skipSpace(&position)
            guard take(UInt8(ascii: ":"), &position) else { return nil }
            skipSpace(&position)
            let start = position
            guard skipValue(&position, depth: 0) else { return nil }
            members.append((name, bytes[start..<position]))
            skipSpace(&position)
        } while take(UInt8(ascii: ","), &position)
        guard take(UInt8(ascii: "}"), &position), endsCleanly(position) else { return nil }
    }

    /// The bytes of a member's value; the last one counts where a name stands twice.
    subscript(name: StaticString) -> ArraySlice<UInt8>? {
        members.last { member in
            member.name.count == name.utf8CodeUnitCount
                && member.name.elementsEqual(
                    UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        }?.value
    }

    /// A text; nil where the member is absent, null or no string.
    func text(_ name: StaticString) -> String? {
        guard let value = self[name], value.first == UInt8(ascii: "\"") else { return nil }
        let inner = value.dropFirst().dropLast()
        guard inner.contains(UInt8(ascii: "\\")) else {
            return String(decoding: inner, as: UTF8.self)
        }
        return try? WireCoding.decode(String.self, from: value)
    }

    /// A number of the JSON grammar; nil where the member is absent, null or no number.
    func number(_ name: StaticString) -> Double? {
        self[name].flatMap(Self.number)
    }

    func flag(_ name: StaticString) -> Bool? {
        guard let value = self[name] else { return nil }
        if value.elementsEqual("true".utf8) { return true }
        return value.elementsEqual("false".utf8) ? false : nil
    }

    func isNull(_ name: StaticString) -> Bool {
        self[name]?.elementsEqual("null".utf8) ?? true
    }

    // MARK: - Outline

    private func take(_ byte: UInt8, _ position: inout Int) -> Bool {
        guard position < bytes.endIndex, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func skipSpace(_ position: inout Int) {
        while position < bytes.endIndex {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private func endsCleanly(_ position: Int) -> Bool {
        var rest = position
        skipSpace(&rest)
        return rest == bytes.endIndex
    }

    /// The inside of a string; its escapes stay as they are.
    private func string(_ position: inout Int) -> ArraySlice<UInt8>? {
        guard take(UInt8(ascii: "\""), &position) else { return nil }
        let start = position
        while position < bytes.endIndex {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return bytes[start..<position - 1]
            }
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    private static let maxDepth = 16

    private func skipValue(_ position: inout Int, depth: Int) -> Bool {
        guard position < bytes.endIndex, depth < Self.maxDepth else { return false }
        switch bytes[position] {
        case UInt8(ascii: "\""): return string(&position) != nil
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipNested(&position)
        default:
            let start = position
            while position < bytes.endIndex, !Self.endsScalar(bytes[position]) { position += 1 }
            return position > start
        }
    }

    /// Skips to the end of an object or list; the general decoder looks into it.
    private func skipNested(_ position: inout Int) -> Bool {
        var depth = 0
        while position < bytes.endIndex {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard string(&position) != nil else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return true }
        }
        return false
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }

    // MARK: - Numbers

    /// The number that the bytes spell; exact, also where they have more digits than a Double.
    static func number(_ text: ArraySlice<UInt8>) -> Double? {
        text.withUnsafeBufferPointer { number($0) }
    }

    /// The number that the bytes spell; exact, also where they have more digits than a Double.
    static func number(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        let isNegative = text.first == UInt8(ascii: "-")
        // Beyond 19 digits it has lost some, and is not used.
        var mantissa: UInt64 = 0
        var digits = 0
        var digitsBeforePoint: Int?
        var isPlain = true
        for byte in isNegative ? text.dropFirst() : text[...] {
            let digit = byte &- UInt8(ascii: "0")
            if digit < 10 {
                mantissa = mantissa &* 10 &+ UInt64(digit)
                digits += 1
                continue
            }
            switch byte {
            case UInt8(ascii: ".") where digitsBeforePoint == nil && digits > 0:
                digitsBeforePoint = digits
            case UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                isPlain = false
            default: return nil
            }
        }
        guard digits > 0 else { return nil }
        if isPlain, digits <= DecimalFraction.digitLimit {
            let decimals = digitsBeforePoint.map { digits - $0 } ?? 0
            let value = DecimalFraction(mantissa: mantissa, decimals: decimals).value
            return isNegative ? -value : value
        }
        let value = Double(String(decoding: text, as: UTF8.self))
        return value?.isFinite == true ? value : nil
    }
}
