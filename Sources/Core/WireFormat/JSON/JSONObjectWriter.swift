import Timekeeping

/// Writes an object member by member, as `WireCoding.encode` writes it: no blanks, no escaped
/// slashes. The caller names the members in the order of their names.
struct JSONObjectWriter {
    private var text: TextBuffer
    /// A member of the innermost object or array has been written.
    private var hasMember = false
    /// The name of the first number that JSON cannot hold; nil: there was none.
    private var notFinite: StaticString?

    init(capacity: Int) {
        text = TextBuffer(capacity: capacity)
    }

    /// The text. Throws where there was a number that JSON cannot hold.
    consuming func finish() throws(WireError) -> [UInt8] {
        if let notFinite {
            throw WireError(pointer: "/\(notFinite)", detail: "not a finite number")
        }
        return text.finish()
    }

    /// Begins the outermost object.
    mutating func begin() {
        text.append(UInt8(ascii: "{"))
        hasMember = false
    }

    /// Begins an object that is a member.
    mutating func begin(_ name: StaticString) {
        self.name(name)
        begin()
    }

    /// Ends the innermost object.
    mutating func end() {
        text.append(UInt8(ascii: "}"))
        hasMember = true
    }

    mutating func beginArray(_ name: StaticString) {
        self.name(name)
        text.append(UInt8(ascii: "["))
        hasMember = false
    }

    mutating func endArray() {
        text.append(UInt8(ascii: "]"))
        hasMember = true
    }

    /// Begins an object that is an element of the array.
    mutating func beginElement() {
        if hasMember { text.append(UInt8(ascii: ",")) }
        begin()
    }

    mutating func member(_ name: StaticString, _ string: String) {
        self.name(name)
        text.append(quoted: string)
    }

    mutating func member(_ name: StaticString, _ flag: Bool) {
        self.name(name)
        text.append(flag ? "true" : "false")
    }

    /// As RFC 3339 with three decimals.
    mutating func member(_ name: StaticString, _ time: UTCTime) {
        self.name(name)
        text.append(quoted: time)
    }

    mutating func member(_ name: StaticString, _ number: Int) {
        member(name, Int64(number))
    }

    mutating func member(_ name: StaticString, _ number: Int64) {
        self.name(name)
        text.append(number)
    }

    mutating func member(_ name: StaticString, _ number: Double) {
        self.name(name)
        if !number.isFinite { notFinite = notFinite ?? name }
        // Of those that `description` writes as digits; zero may have a sign.
        if number != 0, abs(number) < 1e15, let whole = Int64(exactly: number) {
            text.append(whole)
            return
        }
        var digits = number.description
        digits.withUTF8 {
            let isWhole = $0.count > 2 && $0[$0.count - 2] == UInt8(ascii: ".") && $0.last == 0x30
            text.append(UnsafeBufferPointer(rebasing: isWhole ? $0.dropLast(2) : $0[...]))
        }
    }

    mutating func member(_ name: StaticString, _ strings: [String]) {
        self.name(name)
        text.append(UInt8(ascii: "["))
        for (index, string) in strings.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(quoted: string)
        }
        text.append(UInt8(ascii: "]"))
    }

    /// A value that is JSON already.
    mutating func member(_ name: StaticString, json: [UInt8]) {
        self.name(name)
        json.withUnsafeBufferPointer { text.append($0) }
    }

    mutating func null(_ name: StaticString) {
        self.name(name)
        text.append("null")
    }

    private mutating func name(_ name: StaticString) {
        text.append(memberName: name, behindAnother: hasMember)
        hasMember = true
    }
}
