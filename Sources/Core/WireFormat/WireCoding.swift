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
            if let syntax = syntaxError(in: bytes) { throw syntax }
            guard let error = error as? DecodingError else {
                throw WireError(pointer: "", detail: "not JSON")
            }
            throw WireError(error)
        }
    }

    /// The decoder does not tell where a text stops being JSON, so its errors are looked into again.
    private static func syntaxError(in bytes: [UInt8]) -> WireError? {
        do throws(JSONSyntaxError) {
            _ = try JSONDocument(bytes)
            return nil
        } catch {
            return WireError(pointer: "", detail: "not JSON: \(error)")
        }
    }
}
