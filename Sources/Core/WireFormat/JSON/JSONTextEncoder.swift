/// Takes one value and all below it, and writes them as JSON: members in the order of their names, no
/// spaces, no escaped slashes.
final class JSONTextEncoder: Encoder {
    private enum Content {
        /// The value has asked for no container.
        case nothing
        /// A number, true, false or null.
        case literal(String)
        case string(String)
        case elements([JSONTextEncoder])
        case members([String: JSONTextEncoder])
    }

    private var content = Content.nothing
    /// Its parent holds it, and outlives it.
    private unowned let parent: JSONTextEncoder?
    private let key: (any CodingKey)?

    init(in parent: JSONTextEncoder? = nil, under key: (any CodingKey)? = nil) {
        self.parent = parent
        self.key = key
    }

    var codingPath: [any CodingKey] { (parent?.codingPath ?? []) + (key.map { [$0] } ?? []) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var isEmpty: Bool {
        if case .nothing = content { true } else { false }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .members = content {} else { content = .members([:]) }
        return KeyedEncodingContainer(JSONMemberWriter(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .elements = content {} else { content = .elements([]) }
        return JSONElementWriter(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONScalarWriter(encoder: self)
    }

    /// The place of a member; a name that is there already is written anew.
    func member(_ key: any CodingKey) -> JSONTextEncoder {
        let child = JSONTextEncoder(in: self, under: key)
        guard case .members(var members) = content else { return child }
        content = .nothing
        members[key.stringValue] = child
        content = .members(members)
        return child
    }

    /// The place of a further element.
    func element() -> JSONTextEncoder {
        guard case .elements(var elements) = content else { return JSONTextEncoder(in: self) }
        content = .nothing
        let child = JSONTextEncoder(in: self, under: JSONKey(intValue: elements.count))
        elements.append(child)
        content = .elements(elements)
        return child
    }

    var elementCount: Int {
        if case .elements(let elements) = content { elements.count } else { 0 }
    }

    func write(literal: String) { content = .literal(literal) }

    func write(string: String) { content = .string(string) }

    /// A number as the shortest text that reads as the same one; JSON has none that is not finite.
    func write(number: some BinaryFloatingPoint & CustomStringConvertible) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: codingPath, debugDescription: "JSON has no \(number)"))
        }
        let text = number.description
        write(literal: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    func append(to output: inout [UInt8]) {
        switch content {
        case .nothing: output += "{}".utf8
        case .literal(let text): output += text.utf8
        case .string(let text): JSONText.append(text, to: &output)
        case .elements(let elements):
            Self.append(elements, between: "[", "]", to: &output) { $0.append(to: &$1) }
        case .members(let members):
            let sorted = members.sorted { $0.key < $1.key }
            Self.append(sorted, between: "{", "}", to: &output) { member, output in
                JSONText.append(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.append(to: &output)
            }
        }
    }

    private static func append<Item>(
        _ items: [Item], between opening: Unicode.Scalar, _ closing: Unicode.Scalar,
        to output: inout [UInt8], _ append: (Item, inout [UInt8]) -> Void
    ) {
        output.append(UInt8(ascii: opening))
        for (index, item) in items.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            append(item, &output)
        }
        output.append(UInt8(ascii: closing))
    }
}
