/// Elements of an array.
struct JSONElementWriter: UnkeyedEncodingContainer {
    let encoder: JSONTextEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.elementCount }

    func encodeNil() { encoder.element().write(literal: "null") }

    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: encoder.element()) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.element().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder.element() }
}
