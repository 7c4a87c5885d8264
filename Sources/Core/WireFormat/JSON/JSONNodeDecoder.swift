/// Decodes one value of a document.
///
/// A whole number may be spelled as any JSON number that is one, such as 5.0 or 1e3.
final class JSONNodeDecoder: Decoder {
    let node: JSONNode
    /// What holds this value, and under which key; nil: it is the first one.
    private let place: (parent: JSONNodeDecoder, key: any CodingKey)?

    init(_ node: JSONNode) {
        self.node = node
        place = nil
    }

    init(_ node: JSONNode, in parent: JSONNodeDecoder, under key: any CodingKey) {
        self.node = node
        place = (parent, key)
    }

    var codingPath: [any CodingKey] { place.map { $0.parent.codingPath + [$0.key] } ?? [] }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try JSONMemberReader<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try JSONElementReader(self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        JSONScalarReader(decoder: self)
    }

    func bool() throws -> Bool {
        guard node.kind == .bool else { throw mismatch(Bool.self) }
        return node.text.first == UInt8(ascii: "t")
    }

    func string() throws -> String {
        guard node.kind == .string else { throw mismatch(String.self) }
        if node.isPlain { return String(decoding: node.inner, as: UTF8.self) }
        guard let string = JSONText.string(node.inner) else {
            throw corrupted("half of a surrogate pair")
        }
        return string
    }

    func double() throws -> Double {
        guard node.kind == .number, let value = JSONObjectScanner.number(node.text) else {
            throw mismatch(Double.self)
        }
        return value
    }

    func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        guard node.kind == .number else { throw mismatch(type) }
        if let value = Value(String(decoding: node.text, as: UTF8.self)) { return value }
        // "1e3" and "5.0" are whole, too. Digits alone that do not fit are not rounded until they do,
        // nor is anything that a Double could have rounded.
        guard !node.text.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
            case let number = try double(), abs(number) < Self.exactLimit,
            let value = Value(exactly: number)
        else { throw corrupted("not whole, or out of the range of \(type)") }
        return value
    }

    /// Below it a Double tells every whole number from the next: 2^53.
    private static let exactLimit = 9_007_199_254_740_992.0

    /// For a value of another kind than `type` asks for.
    func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "found a \(node.kind)")
        return node.kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private func corrupted(_ detail: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: detail))
    }
}
