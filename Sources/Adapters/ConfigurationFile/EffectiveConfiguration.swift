/// A configuration as `config check` prints it: every value with its key path and its origin.
public struct EffectiveConfiguration: Sendable {
    /// One value.
    public struct Line: Hashable, Sendable {
        /// "upload.interval_s"
        public var keyPath: String
        /// As it would be written in the file; empty for a value that is not given.
        public var value: String
        /// "geofenced.yaml:12" or "default"
        public var origin: String
    }

    /// Stands for a secret.
    public static let dots = "••••••••"

    /// In the order in which the type encodes its keys, then what is not given, by key path.
    public let lines: [Line]

    /// The type is encoded by the same keys by which it was decoded. Values under `secretKeyPaths`
    /// print as dots. Throws what the type throws.
    public init<Value: Encodable>(
        _ configuration: DecodedConfiguration<Value>, secretKeyPaths: Set<String> = []
    ) throws {
        let sink = FlatteningEncoder.Sink()
        try configuration.value.encode(to: FlatteningEncoder(codingPath: [], sink: sink))
        var isPrinted: Set<String> = []
        var lines: [Line] = []
        for (path, text) in sink.values {
            let names = path.indices.reversed().map { KeyPathText.make(Array(path[...$0])) }
            isPrinted.formUnion(names)
            let isSecret = !text.isEmpty && names.contains(where: secretKeyPaths.contains)
            // The element of a list has the origin of its list.
            let known = names.first { configuration.origins[$0] != nil }
            lines.append(
                Line(
                    keyPath: names.first ?? "", value: isSecret ? Self.dots : text,
                    origin: configuration.origin(of: known ?? "")))
        }
        let absent = configuration.origins.keys.filter { !isPrinted.contains($0) }.sorted()
        self.lines =
            lines
            + absent.map { Line(keyPath: $0, value: "", origin: configuration.origin(of: $0)) }
    }
}
