/// Reads one JSON text from its first byte to its last.
///
/// The bytes are those of an array that outlives it; every index is compared with their number first.
struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var nodes: [JSONDocument.Node] = []
    /// Whether a name has escapes, so that its text is not its content.
    private var hasEscapedName = false

    /// Bytes of a text; a `Node` counts them in 32 bits.
    static let byteLimit = Int(UInt32.max) - 1

    static func nodes(of bytes: [UInt8]) throws(JSONSyntaxError) -> [JSONDocument.Node] {
        guard bytes.count <= byteLimit else {
            throw JSONSyntaxError("longer than \(byteLimit) bytes", at: byteLimit, in: bytes)
        }
        let result: Result<[JSONDocument.Node], JSONSyntaxError> = bytes.withUnsafeBufferPointer {
            buffer in
            var parser = JSONParser(buffer)
            do throws(JSONSyntaxError) {
                return .success(try parser.parse())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        // An event has a node for every eight or nine bytes.
        nodes.reserveCapacity(bytes.count / 8)
    }

    private mutating func parse() throws(JSONSyntaxError) -> [JSONDocument.Node] {
        // RFC 8259, section 8.1: a byte order mark, which some editors write, may be passed over.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipSpace()
        try value(depth: 1)
        skipSpace()
        if position < bytes.count { throw error("text after the end of the value") }
        if hasEscapedName { try checkEscapedNames() }
        return nodes
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) {
        guard let byte = peek else { throw error("the text ends where a value is expected") }
        switch byte {
        case UInt8(ascii: "{"): try object(depth: depth)
        case UInt8(ascii: "["): try array(depth: depth)
        case UInt8(ascii: "\""): try string(as: .string)
        case UInt8(ascii: "t"): try word("true", .bool)
        case UInt8(ascii: "f"): try word("false", .bool)
        case UInt8(ascii: "n"): try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw error("a value is expected")
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) {
        let place = try open(.object, depth: depth)
        skipSpace()
        if take("}") { return close(place) }
        var order = NameOrder()
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw error("a name in quotes is expected") }
            let start = position + 1
            let isPlain = try string(as: .name)
            order.note(
                UnsafeBufferPointer(rebasing: bytes[start..<position - 1]), isPlain: isPlain)
            // Where each name comes after the one before it, as we write them, none stands twice.
            if !order.isAscending { try checkName(in: place) }
            skipSpace()
            guard take(":") else { throw error("':' is expected") }
            skipSpace()
            try value(depth: depth + 1)
            skipSpace()
        } while take(",")
        guard take("}") else { throw error("',' or '}' is expected") }
        close(place, hasOrderedNames: order.isAscending && order.isPlain)
    }

    /// That the last name is none that the object of a place has already. Objects of the wire have few
    /// members, so looking through them beats a set of names.
    private func checkName(in place: Int) throws(JSONSyntaxError) {
        let last = nodes.count - 1
        let name = UnsafeBufferPointer(rebasing: bytes[nodes[last].range])
        var index = place + 1
        // Metadata is limited to 50 keys elsewhere; a hostile object must not cost n squared.
        for _ in 0..<Self.comparedNames where index < last {
            let range = nodes[index].range
            if range.count == name.count, bytes[range].elementsEqual(name) {
                throw error("a name that this object already has", at: nodes[last].range.lowerBound)
            }
            // The node after a name is its value.
            index = nodes[index + 1].end
        }
    }

    private static let comparedNames = 256

    /// That no object has two names of the same content, however they are written: of two members, each
    /// reader would take another one.
    private func checkEscapedNames() throws(JSONSyntaxError) {
        for place in nodes.indices where nodes[place].kind == .object {
            var names: Set<[UInt8]> = []
            var index = place + 1
            while index < nodes[place].end {
                let node = nodes[index]
                let text = Array(bytes[node.inner])
                let content = node.isPlain ? text : JSONText.unescape(text[...])
                guard names.insert(content).inserted else {
                    throw error(
                        "a name that this object already has", at: node.range.lowerBound)
                }
                // The node after a name is its value.
                index = nodes[index + 1].end
            }
        }
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) {
        let place = try open(.array, depth: depth)
        skipSpace()
        if take("]") { return close(place) }
        repeat {
            skipSpace()
            try value(depth: depth + 1)
            skipSpace()
        } while take(",")
        guard take("]") else { throw error("',' or ']' is expected") }
        close(place)
    }

    private mutating func open(
        _ kind: JSONDocument.Kind, depth: Int
    ) throws(JSONSyntaxError) -> Int {
        guard depth <= JSONDocument.maximumDepth else {
            throw error("nested deeper than \(JSONDocument.maximumDepth)")
        }
        nodes.append(.init(kind: kind, range: position..<position, end: 0))
        position += 1
        return nodes.count - 1
    }

    private mutating func close(_ place: Int, hasOrderedNames: Bool = true) {
        nodes[place].close(at: position, end: nodes.count, hasOrderedNames: hasOrderedNames)
    }

    private mutating func append(
        _ kind: JSONDocument.Kind, from start: Int, isPlain: Bool = true
    ) {
        if !isPlain, kind == .name { hasEscapedName = true }
        nodes.append(
            .init(kind: kind, range: start..<position, end: nodes.count + 1, isPlain: isPlain))
    }

    private mutating func word(
        _ text: StaticString, _ kind: JSONDocument.Kind
    ) throws(JSONSyntaxError) {
        let start = position
        let matches = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard matches else { throw error("a value is expected") }
        position += text.utf8CodeUnitCount
        append(kind, from: start)
    }

    private mutating func number() throws(JSONSyntaxError) {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        let hasExponent = take("e") || take("E")
        if hasExponent {
            if !take("+") { _ = take("-") }
            try digits()
        }
        // Without an exponent only hundreds of digits are too large.
        let isLarge = hasExponent || position - start > 300
        let digits = UnsafeBufferPointer(rebasing: bytes[start..<position])
        if isLarge, JSONObjectScanner.number(digits) == nil {
            throw error("a number that is too large", at: start)
        }
        append(.number, from: start)
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = position
        while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            position += 1
        }
        if position == start { throw error("a digit is expected") }
    }

    /// Whether it is ASCII without escapes.
    @discardableResult
    private mutating func string(as kind: JSONDocument.Kind) throws(JSONSyntaxError) -> Bool {
        let start = position
        position += 1
        var isPlain = true
        var isASCII = true
        skipPlainText()
        while position < bytes.count {
            let byte = bytes[position]
            if byte == Self.quote {
                position += 1
                if !isASCII { try checkUTF8(start..<position) }
                append(kind, from: start, isPlain: isPlain)
                return isPlain && isASCII
            }
            if byte == Self.backslash {
                isPlain = false
                try escape()
                continue
            }
            if byte < 0x20 { throw error("a control character in a string") }
            if byte >= 0x80 { isASCII = false }
            position += 1
        }
        throw error("the text ends in a string")
    }

    /// Passes over what is neither quote, backslash, control character nor beyond ASCII, eight
    /// bytes at a time; may stop before the first of those.
    private mutating func skipPlainText() {
        guard let start = bytes.baseAddress.map(UnsafeRawPointer.init) else { return }
        while position + 8 <= bytes.count {
            let word = start.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard Self.isPlainText(word) else { return }
            position += 8
        }
    }

    /// Of eight bytes at once: `x - 1 & ~x` has the top bit of a byte that is zero, `x - n & ~x` of
    /// one that is less than n (S. E. Anderson, "Bit Twiddling Hacks").
    private static func isPlainText(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* UInt64(quote))
        let backslashes = word ^ (ones &* UInt64(backslash))
        let found =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
            | ((word &- ones &* 0x20) & ~word) | word
        return found & (ones &* 0x80) == 0
    }

    private static var quote: UInt8 { 0x22 }
    private static var backslash: UInt8 { 0x5C }

    private mutating func escape() throws(JSONSyntaxError) {
        position += 1
        guard let byte = peek else { throw error("the text ends in a string") }
        position += 1
        if byte == UInt8(ascii: "u") {
            for _ in 0..<4 {
                guard let digit = peek, JSONText.hexValue(digit) != nil else {
                    throw error("four hex digits are expected")
                }
                position += 1
            }
        } else if !JSONText.isSimpleEscape(byte) {
            position -= 1
            throw error("an unknown escape")
        }
    }

    private func checkUTF8(_ range: Range<Int>) throws(JSONSyntaxError) {
        guard String(validating: bytes[range], as: UTF8.self) != nil else {
            throw error("a string that is not UTF-8", at: range.lowerBound)
        }
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    private func error(_ detail: String, at offset: Int? = nil) -> JSONSyntaxError {
        JSONSyntaxError(detail, at: offset ?? position, in: Array(bytes))
    }
}
