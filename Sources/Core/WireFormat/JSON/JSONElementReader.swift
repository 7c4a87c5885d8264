/// The elements of an array, one after the other.
struct JSONElementReader: UnkeyedDecodingContainer {
    private let decoder: JSONNodeDecoder
    private var rest: JSONNode.Children
    private(set) var currentIndex = 0

    init(_ decoder: JSONNodeDecoder) throws {
        guard decoder.node.kind == .array else { throw decoder.mismatch([Any].self) }
        self.decoder = decoder
        rest = decoder.node.children
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    /// Not counted before they are read.
    var count: Int? { nil }
    var isAtEnd: Bool { rest.first == nil }

    mutating func decodeNil() -> Bool {
        guard rest.first?.kind == .null else { return false }
        advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next(type) { try type.init(from: $0) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next([String: Any].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next(Any.self) { $0 } }

    /// Hands the next element on; it counts as taken only when `read` succeeds.
    private mutating func next<Value>(
        _ type: Any.Type, _ read: (JSONNodeDecoder) throws -> Value
    ) throws -> Value {
        let key = JSONKey(intValue: currentIndex)
        guard let node = rest.first else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: codingPath + [key], debugDescription: "the array ends"))
        }
        let value = try read(JSONNodeDecoder(node, in: decoder, under: key))
        advance()
        return value
    }

    private mutating func advance() {
        _ = rest.next()
        currentIndex += 1
    }
}
