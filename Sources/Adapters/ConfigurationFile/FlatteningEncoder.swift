/// Writes a value as a list of key paths and texts.
struct FlatteningEncoder: Encoder {
    /// Where the texts go; it lives for one encoding, on one thread.
    final class Sink {
        fileprivate(set) var values: [(path: [any CodingKey], text: String)] = []
    }

    let codingPath: [any CodingKey]
    let sink: Sink

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keys(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements(encoder: self) }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    private func child(_ key: any CodingKey) -> FlatteningEncoder {
        FlatteningEncoder(codingPath: codingPath + [key], sink: sink)
    }

    private func write(_ text: String) {
        sink.values.append((codingPath, text))
    }

    private struct Keys<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: FlatteningEncoder

        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil(forKey key: Key) { encoder.child(key).write("") }

        /// Also for Bool, String and numbers: their own `encode(to:)` asks for a single value.
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try value.encode(to: encoder.child(key))
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder.child(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.child(key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { encoder }

        func superEncoder(forKey key: Key) -> any Encoder { encoder.child(key) }
    }

    private struct Elements: UnkeyedEncodingContainer {
        let encoder: FlatteningEncoder
        var count = 0

        var codingPath: [any CodingKey] { encoder.codingPath }

        mutating func encodeNil() { next().write("") }

        mutating func encode<Value: Encodable>(_ value: Value) throws {
            try value.encode(to: next())
        }

        mutating func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            next().unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder { next() }

        private mutating func next() -> FlatteningEncoder {
            defer { count += 1 }
            return encoder.child(ConfigurationKey(intValue: count))
        }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: FlatteningEncoder

        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil() { encoder.write("") }
        func encode(_ value: Bool) { encoder.write("\(value)") }
        func encode(_ value: String) { encoder.write(value) }
        func encode(_ value: Double) { encoder.write("\(value)") }
        func encode(_ value: Float) { encoder.write("\(value)") }
        func encode(_ value: Int) { encoder.write("\(value)") }
        func encode(_ value: Int8) { encoder.write("\(value)") }
        func encode(_ value: Int16) { encoder.write("\(value)") }
        func encode(_ value: Int32) { encoder.write("\(value)") }
        func encode(_ value: Int64) { encoder.write("\(value)") }
        func encode(_ value: UInt) { encoder.write("\(value)") }
        func encode(_ value: UInt8) { encoder.write("\(value)") }
        func encode(_ value: UInt16) { encoder.write("\(value)") }
        func encode(_ value: UInt32) { encoder.write("\(value)") }
        func encode(_ value: UInt64) { encoder.write("\(value)") }
        func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: encoder) }
    }
}
