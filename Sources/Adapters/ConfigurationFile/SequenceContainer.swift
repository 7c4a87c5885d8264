/// The elements of a list, one after the other.
struct SequenceContainer: UnkeyedDecodingContainer {
    private let decoder: ConfigurationDecoder
    private let elements: [ConfigurationNode]
    private(set) var currentIndex = 0

    init(_ decoder: ConfigurationDecoder) throws {
        guard case .sequence(let elements) = decoder.node.content else {
            throw decoder.mismatch([Any].self, "a list")
        }
        self.decoder = decoder
        self.elements = elements
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard currentIndex < elements.count, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next { try $0.unbox(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }

    /// Hands the next element on; it counts as taken only when `read` succeeds.
    private mutating func next<Value>(
        _ read: (ConfigurationDecoder) throws -> Value
    ) throws -> Value {
        guard currentIndex < elements.count else {
            throw DecodingError.valueNotFound(
                Value.self,
                .init(
                    codingPath: codingPath,
                    debugDescription: "expected more than \(elements.count) elements"))
        }
        let key = ConfigurationKey(intValue: currentIndex)
        let value = try read(decoder.child(key, elements[currentIndex]))
        currentIndex += 1
        return value
    }
}
