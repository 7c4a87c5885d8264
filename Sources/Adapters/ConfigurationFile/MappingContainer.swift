/// The keys of a group, and a note of every key that is asked for.
struct MappingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: ConfigurationDecoder
    private let entries: [ConfigurationNode.Entry]
    private let places: [String: Int]

    init(_ decoder: ConfigurationDecoder) throws {
        if decoder.node.isNull {
            entries = []
        } else if case .mapping(let entries) = decoder.node.content {
            self.entries = entries
        } else {
            throw decoder.mismatch([String: Any].self, "a group of keys")
        }
        self.decoder = decoder
        places = Dictionary(
            entries.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        decoder.log.opened(entries, at: decoder.codingPath)
    }

    var codingPath: [any CodingKey] { decoder.codingPath }

    /// The keys that `Key` can express; who lists them asks for them.
    var allKeys: [Key] {
        let keys = entries.compactMap { Key(stringValue: $0.key) }
        for key in keys { _ = entry(key) }
        return keys
    }

    func contains(_ key: Key) -> Bool { entry(key) != nil }

    func decodeNil(forKey key: Key) -> Bool { entry(key)?.value.isNull ?? true }

    /// Also for Bool, String and numbers: their own `init(from:)` asks the scalar container.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try value(key).unbox(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try value(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try value(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { try value(key) }

    private func entry(_ key: Key) -> ConfigurationNode.Entry? {
        let entry = places[key.stringValue].map { entries[$0] }
        decoder.log.asked(for: key, at: codingPath, found: entry)
        return entry
    }

    private func value(_ key: Key) throws -> ConfigurationDecoder {
        guard let entry = entry(key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "is missing"))
        }
        return decoder.child(key, entry.value)
    }
}
