/// Members of an object.
struct JSONMemberWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONTextEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { encoder.member(key).write(literal: "null") }

    /// Also for Bool, String and numbers: their own `encode(to:)` asks for a single value.
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try value.encode(to: encoder.member(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.member(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
}
