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

    mutating func member(_ name: StaticString, _ number: some BinaryInteger) {
        self.name(name)
        append(number.description)
    }

    mutating func member(_ name: StaticString, _ number: Double) {
        self.name(name)
        if !number.isFinite { notFinite = notFinite ?? name }
        var text = number.description
        if text.hasSuffix(".0") { text.removeLast(2) }
        append(text)
    }

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

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy(Self.isPlain) {
            append(text)
        } else {
            for byte in text.utf8 { escape(byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
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
