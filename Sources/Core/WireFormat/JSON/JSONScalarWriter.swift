/// One value by itself.
struct JSONScalarWriter: SingleValueEncodingContainer {
    let encoder: JSONTextEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.write(literal: "null") }
    func encode(_ value: Bool) { encoder.write(literal: value ? "true" : "false") }
    func encode(_ value: String) { encoder.write(string: value) }
    func encode(_ value: Double) throws { try encoder.write(number: value) }
    func encode(_ value: Float) throws { try encoder.write(number: value) }
    func encode(_ value: Int) { encoder.write(literal: String(value)) }
    func encode(_ value: Int8) { encoder.write(literal: String(value)) }
    func encode(_ value: Int16) { encoder.write(literal: String(value)) }
    func encode(_ value: Int32) { encoder.write(literal: String(value)) }
    func encode(_ value: Int64) { encoder.write(literal: String(value)) }
    func encode(_ value: UInt) { encoder.write(literal: String(value)) }
    func encode(_ value: UInt8) { encoder.write(literal: String(value)) }
    func encode(_ value: UInt16) { encoder.write(literal: String(value)) }
    func encode(_ value: UInt32) { encoder.write(literal: String(value)) }
    func encode(_ value: UInt64) { encoder.write(literal: String(value)) }
    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: encoder) }
}
