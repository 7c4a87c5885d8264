/// JSON as agent, server and recordings write and read it: sorted keys, no escaped slashes.
///
/// Sorted keys make equal values equal bytes, which replays and golden tests rely on. Texts are read
/// within the limits of `JSONDocument`.
public enum WireCoding {
    /// The bytes of one JSON document without a newline.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONTextEncoder()
        try value.encode(to: encoder)
        guard !encoder.isEmpty else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "has no JSON form"))
        }
        var output: [UInt8] = []
        encoder.append(to: &output)
        return output
    }

    /// Reads one JSON document; the error's description names the place and the value.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Sequence<UInt8>
    ) throws(WireError) -> Value {
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(Array(bytes))
        } catch {
            throw WireError(pointer: "", detail: "not JSON: \(error)")
        }
        do {
            return try type.init(from: JSONNodeDecoder(document.root))
        } catch let error as WireError {
            throw error
        } catch let error as DecodingError {
            throw WireError(error, in: document)
        } catch {
            throw WireError(pointer: "", detail: "\(error)")
        }
    }
}
