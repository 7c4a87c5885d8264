/// A value of the file and where it stands.
struct ConfigurationNode: Sendable {
    enum Content: Sendable {
        /// `isPlain`: written without quotes, so that it may be a number, a truth value or null.
        case scalar(String, isPlain: Bool)
        case sequence([ConfigurationNode])
        case mapping([Entry])
    }

    struct Entry: Sendable {
        var key: String
        var keyMark: SourceMark
        var value: ConfigurationNode
    }

    var content: Content
    var mark: SourceMark

    /// Whether it stands for "not given": nothing, `~` or `null`.
    var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The entry of a mapping; nil in anything else.
    func entry(_ key: String) -> Entry? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }
    }

    /// How an error calls what was found: "'abc'", "a list".
    var found: String {
        if isNull { return "nothing" }
        switch content {
        case .scalar(let text, isPlain: true): return "'\(Self.shortened(text))'"
        case .scalar(let text, isPlain: false): return "the text \"\(Self.shortened(text))\""
        case .sequence: return "a list"
        case .mapping: return "a group of keys"
        }
    }

    /// A log line stays a line, whatever the file holds.
    private static func shortened(_ text: String) -> String {
        let line = text.prefix(40).map { $0.isNewline ? " " : String($0) }.joined()
        return text.count > 40 ? "\(line)..." : line
    }
}
