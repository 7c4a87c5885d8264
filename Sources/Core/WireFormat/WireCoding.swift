import FoundationEssentials

/// JSON as agent, server and recordings write and read it: sorted keys, no escaped slashes.
///
/// Sorted keys make equal values equal bytes, which replays and golden tests rely on.
public enum WireCoding {
    /// The bytes of one JSON document without a newline.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    /// Reads one JSON document; the error's description names the place and the value.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Sequence<UInt8>
    ) throws(WireError) -> Value {
        let bytes = Array(bytes)
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as WireError {
            throw error
        } catch {
            let document = try document(bytes)
            guard let error = error as? DecodingError else {
                throw WireError(pointer: "", detail: "not JSON")
            }
            if NumberSearch.hasNoPlace(error),
                let found = NumberSearch(document: document).find(type)
            {
                throw WireError(
                    pointer: found.pointer,
                    detail: "\(found.text.prefix(40)) is not a whole number that is allowed here")
            }
            throw WireError(error, in: document)
        }
    }

    /// The decoder does not tell where a text stops being JSON, so its errors are looked into again.
    private static func document(_ bytes: [UInt8]) throws(WireError) -> JSONDocument {
        do throws(JSONSyntaxError) {
            return try JSONDocument(bytes)
        } catch {
            throw WireError(pointer: "", detail: "not JSON: \(error)")
        }
    }
}
