import ConfigurationFile
import WireFormat

/// The effective configuration as JSON, schema `geofenced.configuration/1`.
enum ConfigurationJSON {
    private struct Document: Encodable {
        var schema = "geofenced.configuration/1"
        var values: [Value]
    }

    private struct Value: Encodable {
        var key: String
        var value: String
        var origin: String
    }

    static func text(_ configuration: EffectiveConfiguration) throws -> String {
        let values = configuration.lines.map {
            Value(key: $0.keyPath, value: $0.value, origin: $0.origin)
        }
        return String(decoding: try WireCoding.encode(Document(values: values)), as: UTF8.self)
    }
}
