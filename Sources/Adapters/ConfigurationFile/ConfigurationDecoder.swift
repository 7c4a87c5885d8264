/// Decodes one node of a configuration file.
struct ConfigurationDecoder: Decoder {
    let node: ConfigurationNode
    let codingPath: [any CodingKey]
    let log: DecodingLog

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try MappingContainer<Key>(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try SequenceContainer(self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        ScalarContainer(decoder: self)
    }

    func child(_ key: any CodingKey, _ node: ConfigurationNode) -> ConfigurationDecoder {
        ConfigurationDecoder(node: node, codingPath: codingPath + [key], log: log)
    }

    /// A value of any type; every error leaves with the path of this node.
    func unbox<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try Value(from: self)
        } catch let error as DecodingError {
            if let choices = Self.choices(of: type), case .dataCorrupted = error, isScalar {
                throw corrupted("\(node.found) is not one of \(choices.joined(separator: ", "))")
            }
            throw error
        } catch {
            throw corrupted("\(error)")
        }
    }

    func bool() throws -> Bool {
        guard let value = plainText.map(ScalarText.bool), let value else {
            throw mismatch(Bool.self, "true or false")
        }
        return value
    }

    func text() throws -> String {
        guard case .scalar(let text, _) = node.content, !node.isNull else {
            throw mismatch(String.self, "a text")
        }
        return text
    }

    func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        guard let text = plainText, ScalarText.isWholeNumber(text) else {
            throw mismatch(type, "a whole number")
        }
        guard let value = Value(text) else {
            throw corrupted("\(text) is out of range, allowed \(type.min)...\(type.max)")
        }
        return value
    }

    func double() throws -> Double {
        guard let value = plainText.map(ScalarText.double), let value else {
            throw mismatch(Double.self, "a number")
        }
        return value
    }

    func corrupted(_ message: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: message))
    }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        .typeMismatch(
            type,
            .init(
                codingPath: codingPath,
                debugDescription: "expected \(expected), found \(node.found)"))
    }

    private var isScalar: Bool {
        if case .scalar = node.content { true } else { false }
    }

    /// The text of a scalar without quotes; nil for a quoted one and for nothing.
    private var plainText: String? {
        guard case .scalar(let text, isPlain: true) = node.content, !node.isNull else {
            return nil
        }
        return text
    }

    /// The raw values of an enumeration that lists its cases.
    private static func choices(of type: Any.Type) -> [String]? {
        guard let type = type as? any (CaseIterable & RawRepresentable).Type else { return nil }
        return rawValues(type)
    }

    private static func rawValues<Choice: CaseIterable & RawRepresentable>(
        _ type: Choice.Type
    ) -> [String] {
        type.allCases.map { "\($0.rawValue)" }
    }
}
