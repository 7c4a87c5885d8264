/// What decoding asked for: unknown keys and the origin of each value follow from it.
///
/// It lives for one decoding, on one thread.
final class DecodingLog {
    private struct Mapping {
        var entries: [ConfigurationNode.Entry]
        var asked: Set<String> = []
    }

    private var mappings: [String: Mapping] = [:]
    private var order: [String] = []
    private(set) var origins: [String: ConfigurationOrigin] = [:]

    func opened(_ entries: [ConfigurationNode.Entry], at path: [any CodingKey]) {
        let name = KeyPathText.make(path)
        guard mappings[name] == nil else { return }
        mappings[name] = Mapping(entries: entries)
        order.append(name)
    }

    /// Notes that a key was asked for; `entry` is what the file has for it.
    func asked(
        for key: any CodingKey, at path: [any CodingKey], found entry: ConfigurationNode.Entry?
    ) {
        let isNew = mappings[KeyPathText.make(path)]?.asked.insert(key.stringValue).inserted
        guard isNew == true else { return }
        let isGiven = entry.map { !$0.value.isNull } ?? false
        origins[KeyPathText.make(path + [key])] =
            isGiven ? entry.map { .file(line: $0.keyMark.line) } : .standard
    }

    /// Keys of opened mappings that nobody asked for.
    func unknownKeys(in file: String) -> [ConfigurationProblem] {
        let problems = order.flatMap { name -> [ConfigurationProblem] in
            guard let mapping = mappings[name] else { return [] }
            return mapping.entries.filter { !mapping.asked.contains($0.key) }.map { entry in
                ConfigurationProblem(
                    file: file, mark: entry.keyMark,
                    keyPath: name.isEmpty ? entry.key : "\(name).\(entry.key)",
                    message: "unknown key, known here: "
                        + (mapping.asked.isEmpty
                            ? "none" : mapping.asked.sorted().joined(separator: ", ")))
            }
        }
        return problems.sorted { left, right in
            guard let first = left.mark, let second = right.mark else { return false }
            return first < second
        }
    }
}
