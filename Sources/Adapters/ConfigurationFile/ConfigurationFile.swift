/// A configuration as it was written: YAML with the place of every value.
///
/// `decode` reads it into any `Decodable` type. The type brings its own defaults (`decodeIfPresent`)
/// and ranges: it throws `DecodingError.dataCorrupted`, best by
/// `dataCorruptedError(forKey:in:debugDescription:)`, with the words for the person: "70000 is out of
/// range, allowed 1...65535". The coding path becomes `file:line:column: key.path:`; a path that leads
/// past the file ends at the nearest value that stands there. Any other error is taken by its
/// description. A key that decoding never asks for is refused, so a type asks for all of its keys in
/// every case. A key with nothing after it counts as absent.
public struct ConfigurationFile: Sendable {
    /// As errors call it.
    public let name: String
    let root: ConfigurationNode

    /// Takes the document apart; `name` is for errors. Throws for bytes that are not UTF-8, are no
    /// YAML, hold a key twice, or use anchors, aliases or tags.
    public init(_ bytes: [UInt8], name: String) throws(ConfigurationError) {
        self.name = name
        root = try YAMLReader.read(bytes, file: name)
    }

    /// Reads a file. Throws also when it cannot be read.
    public init(path: String) throws(ConfigurationError) {
        try self.init(FileReading.bytes(path, limit: YAMLReader.maximumBytes), name: path)
    }

    /// A file without a line: all defaults.
    public static func empty(name: String) -> ConfigurationFile {
        ConfigurationFile(
            name: name,
            root: ConfigurationNode(content: .mapping([]), mark: SourceMark(line: 1, column: 1)))
    }

    private init(name: String, root: ConfigurationNode) {
        self.name = name
        self.root = root
    }

    /// The typed configuration and where its values come from. Throws for an unknown key, unless they
    /// are ignored, a wrong type, and whatever the type refuses.
    public func decode<Value: Decodable>(
        _ type: Value.Type, ignoringUnknownKeys: Bool = false
    ) throws(ConfigurationError) -> DecodedConfiguration<Value> {
        let log = DecodingLog()
        let decoder = ConfigurationDecoder(node: root, codingPath: [], log: log)
        let value: Value
        do {
            value = try decoder.unbox(type)
        } catch {
            throw ConfigurationError([problem(error)])
        }
        let unknown = log.unknownKeys(in: name)
        guard ignoringUnknownKeys || unknown.isEmpty else { throw ConfigurationError(unknown) }
        return DecodedConfiguration(value: value, file: name, origins: log.origins)
    }

    private func problem(_ error: any Error) -> ConfigurationProblem {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            problem(context.codingPath + [key], "is missing")
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            problem(context.codingPath, context.debugDescription)
        default:
            problem([], "\(error)")
        }
    }

    private func problem(_ path: [any CodingKey], _ message: String) -> ConfigurationProblem {
        ConfigurationProblem(
            file: name, mark: mark(of: path), keyPath: KeyPathText.make(path), message: message)
    }

    /// The place of the value at `path`, or of the last value on the way to it.
    private func mark(of path: [any CodingKey]) -> SourceMark {
        var node = root
        for key in path {
            if let entry = node.entry(key.stringValue) {
                // Nothing stands after the key: the key itself is the place to look at.
                if entry.value.isNull { return entry.keyMark }
                node = entry.value
            } else if case .sequence(let elements) = node.content, let index = key.intValue,
                elements.indices.contains(index)
            {
                node = elements[index]
            } else {
                break
            }
        }
        return node.mark
    }
}
