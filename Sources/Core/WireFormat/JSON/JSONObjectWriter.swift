import Timekeeping

/// Writes an object member by member, as `WireCoding.encode` writes it: no blanks, no escaped
/// slashes. The caller names the members in the order of their names.
struct JSONObjectWriter {
    private var bytes: [UInt8] = []
    /// A member of the innermost object or array has been written.
    private var hasMember = false
    /// The name of the first number that JSON cannot hold; nil: there was none.
    private var notFinite: StaticString?

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// The text. Throws where there was a number that JSON cannot hold.
    consuming func finish() throws(WireError) -> [UInt8] {
        if let notFinite {
            throw WireError(pointer: "/\(notFinite)", detail: "not a finite number")
        }
        return bytes
    }

    /// Begins the outermost object.
    mutating func begin() {
        bytes.append(UInt8(ascii: "{"))
        hasMember = false
    }

    /// Begins an object that is a member.
    mutating func begin(_ name: StaticString) {
        self.name(name)
        begin()
    }

    /// Ends the innermost object.
    mutating func end() {
        bytes.append(UInt8(ascii: "}"))
        hasMember = true
    }

    mutating func beginArray(_ name: StaticString) {
        self.name(name)
        bytes.append(UInt8(ascii: "["))
        hasMember = false
    }

    mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        hasMember = true
    }

    /// Begins an object that is an element of the array.
    mutating func beginElement() {
        if hasMember { bytes.append(UInt8(ascii: ",")) }
        begin()
    }

    mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        string(text)
    }

    mutating func member(_ name: StaticString, _ flag: Bool) {
        self.name(name)
        plain(flag ? "true" : "false")
    }

    /// As RFC 3339 with three decimals.
    mutating func member(_ name: StaticString, _ time: UTCTime) {
        self.name(name)
        bytes.append(UInt8(ascii: "\""))
        time.appendRFC3339(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func member(_ name: StaticString, _ number: Int) {
        member(name, Int64(number))
    }

    mutating func member(_ name: StaticString, _ number: Int64) {
        self.name(name)
        append(number)
    }

    mutating func member(_ name: StaticString, _ number: Double) {
        self.name(name)
        if !number.isFinite { notFinite = notFinite ?? name }
        // Of those that `description` writes as digits; zero may have a sign.
        if number != 0, abs(number) < 1e15, let whole = Int64(exactly: number) {
            append(whole)
            return
        }
        var text = number.description
        text.withUTF8 { digits in
            let isWhole = digits.count > 2 && digits.suffix(2).elementsEqual(Self.noDecimals)
            bytes.append(contentsOf: isWhole ? digits.dropLast(2) : digits[...])
        }
    }

    private static let noDecimals = [UInt8(ascii: "."), UInt8(ascii: "0")]

    mutating func member(_ name: StaticString, _ texts: [String]) {
        self.name(name)
        bytes.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            string(text)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// A value that is JSON already.
    mutating func member(_ name: StaticString, json: [UInt8]) {
        self.name(name)
        bytes += json
    }

    mutating func null(_ name: StaticString) {
        self.name(name)
        plain("null")
    }

    private mutating func name(_ name: StaticString) {
        if hasMember { bytes.append(UInt8(ascii: ",")) }
        hasMember = true
        bytes.append(UInt8(ascii: "\""))
        plain(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func plain(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { content in
            if content.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) {
                bytes.append(contentsOf: content)
            } else {
                for byte in content { escape(byte) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): plain("\\\"")
        case UInt8(ascii: "\\"): plain("\\\\")
        case 0x08: plain("\\b")
        case 0x09: plain("\\t")
        case 0x0A: plain("\\n")
        case 0x0C: plain("\\f")
        case 0x0D: plain("\\r")
        case 0..<0x20:
            plain(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0x0F
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        default: bytes.append(byte)
        }
    }
}
