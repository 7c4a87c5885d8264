import WireFormat

/// Puts members in front of an object that is kept as text, without reading it again.
enum JSONObjectText {
    /// `object` is the text of a JSON object. The members must not be in it already.
    static func prefixing(
        _ members: [(name: String, value: JSONScalar)], to object: [UInt8]
    ) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(object.count + members.count * 40)
        append(members, andMembersOf: object, to: &output)
        return output
    }

    /// As `prefixing`, at the end of a longer text.
    static func append(
        _ members: [(name: String, value: JSONScalar)], andMembersOf object: [UInt8],
        to output: inout [UInt8]
    ) {
        output.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            append(quoted: member.name, to: &output)
            output.append(UInt8(ascii: ":"))
            member.value.append(to: &output)
        }
        if members.isEmpty {
            output += object.dropFirst()
        } else {
            append(restOf: object, to: &output)
        }
    }

    /// After a first member, the members of an object and its end.
    static func append(restOf object: [UInt8], to output: inout [UInt8]) {
        if object.count > 2 { output.append(UInt8(ascii: ",")) }
        output += object.dropFirst()
    }

    /// Most texts need no escape and are copied as they are.
    static func append(quoted text: String, to output: inout [UInt8]) {
        var text = text
        let isPlain = text.withUTF8 { bytes in
            let isPlain = !bytes.contains {
                $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
            }
            if isPlain {
                output.append(UInt8(ascii: "\""))
                output.append(contentsOf: bytes)
                output.append(UInt8(ascii: "\""))
            }
            return isPlain
        }
        if !isPlain { JSONText.append(quoted: text.utf8, to: &output) }
    }
}

/// A value that stands in JSON by itself.
enum JSONScalar: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Finite.
    case number(Double)
    case string(String)
    /// Text that is JSON already.
    case raw([UInt8])

    static func optional(_ text: String?) -> JSONScalar { text.map(JSONScalar.string) ?? .null }

    func append(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): output.append(contentsOf: String(value).utf8)
        case .number(let value): output.append(contentsOf: Self.text(of: value).utf8)
        case .string(let value): JSONObjectText.append(quoted: value, to: &output)
        case .raw(let value): output += value
        }
    }

    private static func text(of value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? String(value)
    }
}
