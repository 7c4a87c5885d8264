import CYAML

/// Reads one YAML document into nodes, event by event, within named limits.
///
/// Anchors, aliases and tags are refused: a configuration has no use for them, and aliases can make a
/// file of 1 KiB stand for gigabytes.
struct YAMLReader: ~Copyable {
    /// Largest file, in bytes.
    static let maximumBytes = 1 << 20
    /// Deepest nesting.
    static let maximumDepth = 32
    /// Most values, keys included.
    static let maximumNodes = 100_000

    private let file: String
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private var nodeCount = 0

    /// The document in `bytes`; an empty one is an empty mapping.
    static func read(
        _ bytes: [UInt8], file: String
    ) throws(ConfigurationError) -> ConfigurationNode {
        guard bytes.count <= maximumBytes else {
            throw ConfigurationError(
                file: file, mark: nil,
                "\(bytes.count) bytes are too many, allowed up to \(maximumBytes)")
        }
        try requireUTF8(bytes, file)
        var reader = try YAMLReader(file: file)
        return try reader.document(in: bytes)
    }

    private init(file: String) throws(ConfigurationError) {
        self.file = file
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw ConfigurationError(file: file, mark: nil, "libyaml has no memory")
        }
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    private mutating func document(
        in bytes: [UInt8]
    ) throws(ConfigurationError) -> ConfigurationNode {
        // libyaml keeps the address until the parser is deleted: the bytes must not move before.
        let input = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
        defer { input.deallocate() }
        _ = input.update(fromContentsOf: bytes)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
        _ = try next()
        let start = try next()
        guard case .documentStart = start.kind else {
            return ConfigurationNode(content: .mapping([]), mark: start.mark)
        }
        let root = try node(try next(), depth: 0)
        _ = try next()
        let end = try next()
        guard case .streamEnd = end.kind else {
            throw error(end.mark, "a second document, allowed is one")
        }
        return root.isNull ? ConfigurationNode(content: .mapping([]), mark: root.mark) : root
    }

    private mutating func node(
        _ event: YAMLEvent, depth: Int
    ) throws(ConfigurationError) -> ConfigurationNode {
        nodeCount += 1
        guard nodeCount <= Self.maximumNodes else {
            throw error(event.mark, "more than \(Self.maximumNodes) values")
        }
        guard depth <= Self.maximumDepth else {
            throw error(event.mark, "nested deeper than \(Self.maximumDepth)")
        }
        if event.isAnchored { throw error(event.mark, "anchors and aliases are not allowed") }
        if event.isTagged { throw error(event.mark, "tags are not allowed") }
        switch event.kind {
        case .scalar(let text, let isPlain):
            return ConfigurationNode(content: .scalar(text, isPlain: isPlain), mark: event.mark)
        case .sequenceStart:
            return try sequence(event.mark, depth)
        case .mappingStart:
            return try mapping(event.mark, depth)
        default:
            throw error(event.mark, "a value is expected here")
        }
    }

    private mutating func sequence(
        _ mark: SourceMark, _ depth: Int
    ) throws(ConfigurationError) -> ConfigurationNode {
        var elements: [ConfigurationNode] = []
        while true {
            let event = try next()
            if case .sequenceEnd = event.kind {
                return ConfigurationNode(content: .sequence(elements), mark: mark)
            }
            elements.append(try node(event, depth: depth + 1))
        }
    }

    private mutating func mapping(
        _ mark: SourceMark, _ depth: Int
    ) throws(ConfigurationError) -> ConfigurationNode {
        var entries: [ConfigurationNode.Entry] = []
        var lines: [String: Int] = [:]
        while true {
            let event = try next()
            if case .mappingEnd = event.kind {
                return ConfigurationNode(content: .mapping(entries), mark: mark)
            }
            let key = try node(event, depth: depth + 1)
            guard case .scalar(let name, _) = key.content else {
                throw error(key.mark, "a key is a word")
            }
            if let line = lines[name] {
                throw error(key.mark, "duplicate key '\(name)', first in line \(line)")
            }
            lines[name] = key.mark.line
            let value = try node(try next(), depth: depth + 1)
            entries.append(.init(key: name, keyMark: key.mark, value: value))
        }
    }

    private func next() throws(ConfigurationError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
        defer { yaml_event_delete(&event) }
        return YAMLEvent(event)
    }

    private func error(_ mark: SourceMark, _ message: String) -> ConfigurationError {
        ConfigurationError(file: file, mark: mark, message)
    }

    private func syntaxError() -> ConfigurationError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "unreadable"
        let context = parser.pointee.context.map { " " + String(cString: $0) } ?? ""
        return error(SourceMark(parser.pointee.problem_mark), "\(problem)\(context)")
    }

    private static func requireUTF8(_ bytes: [UInt8], _ file: String) throws(ConfigurationError) {
        guard String(validating: bytes, as: UTF8.self) == nil else { return }
        for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false)
            .enumerated() where String(validating: line, as: UTF8.self) == nil
        {
            throw ConfigurationError(
                file: file, mark: SourceMark(line: index + 1, column: 1), "the line is not UTF-8")
        }
    }
}
