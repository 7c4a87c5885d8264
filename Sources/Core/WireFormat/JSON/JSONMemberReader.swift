/// The members of an object by name.
struct JSONMemberReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: JSONNodeDecoder
    private let members: [String: JSONNode]

    init(_ decoder: JSONNodeDecoder) throws {
        guard decoder.node.kind == .object else { throw decoder.mismatch([String: Any].self) }
        self.decoder = decoder
        members = Dictionary(
            decoder.node.members.map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    func decodeNil(forKey key: Key) -> Bool { (members[key.stringValue]?.kind ?? .null) == .null }

    /// Also for Bool, String and numbers: their own `init(from:)` asks the scalar container.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try type.init(from: value(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { try value(key) }

    private func value(_ key: Key) throws -> JSONNodeDecoder {
        guard let node = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "is missing"))
        }
        return JSONNodeDecoder(node, in: decoder, under: key)
    }
}
