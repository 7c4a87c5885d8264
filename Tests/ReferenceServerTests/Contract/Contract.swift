import TestSupport
import Testing

@testable import ConfigurationFile

/// What docs/openapi.yaml says of answers.
struct Contract {
    let root: ConfigurationNode

    init() throws {
        let bytes = try #require(
            SharedFolder.readFile("\(SharedFolder.projectRoot)/docs/openapi.yaml"))
        root = try YAMLReader.read(bytes, file: "docs/openapi.yaml")
    }

    /// Every documented answer that is no refusal, as "GET /v1/config 200".
    var successes: Set<String> {
        var result: Set<String> = []
        for (name, statuses) in responses {
            for status in statuses where status.key < "400" {
                result.insert("\(name) \(status.key)")
            }
        }
        return result
    }

    /// A documented answer; nil: there is none of this status.
    func response(_ operation: String, _ status: Int) -> ConfigurationNode? {
        responses[operation]?.first { $0.key == "\(status)" }.map { resolved($0.value) }
    }

    func schema(_ name: String) -> ConfigurationNode? { root["components"]?["schemas"]?[name] }

    /// Where the lists stand of the members that documented answers must have.
    var requirements: Set<SourceMark> {
        var found: Set<SourceMark> = []
        var seen: Set<SourceMark> = []
        for statuses in responses.values {
            for status in statuses {
                for type in resolved(status.value)["content"]?.entries ?? [] {
                    if let schema = type.value["schema"] { collect(schema, &found, &seen) }
                }
            }
        }
        return found
    }

    /// What a reference points to; everything else stands for itself.
    func resolved(_ node: ConfigurationNode) -> ConfigurationNode {
        guard let pointer = node["$ref"]?.text else { return node }
        let target = pointer.split(separator: "/").dropFirst().reduce(Optional(root)) {
            $0?[String($1)]
        }
        guard let target else {
            Issue.record("\(pointer) points to nothing")
            return node
        }
        return resolved(target)
    }

    private var responses: [String: [ConfigurationNode.Entry]] {
        var result: [String: [ConfigurationNode.Entry]] = [:]
        for path in root["paths"]?.entries ?? [] {
            for method in path.value.entries {
                guard let answers = method.value["responses"] else { continue }
                result["\(method.key.uppercased()) \(path.key)"] = answers.entries
            }
        }
        return result
    }

    private func collect(
        _ schema: ConfigurationNode, _ found: inout Set<SourceMark>, _ seen: inout Set<SourceMark>
    ) {
        let schema = resolved(schema)
        guard seen.insert(schema.mark).inserted else { return }
        if let required = schema["required"] { found.insert(required.mark) }
        if let items = schema["items"] { collect(items, &found, &seen) }
        for member in schema["properties"]?.entries ?? [] { collect(member.value, &found, &seen) }
        for name in ["allOf", "anyOf", "oneOf"] {
            for part in schema[name]?.elements ?? [] { collect(part, &found, &seen) }
        }
    }
}

extension ConfigurationNode {
    subscript(key: String) -> ConfigurationNode? { entry(key)?.value }

    var entries: [Entry] {
        if case .mapping(let entries) = content { entries } else { [] }
    }

    var elements: [ConfigurationNode] {
        if case .sequence(let elements) = content { elements } else { [] }
    }

    var text: String? {
        if case .scalar(let text, _) = content { text } else { nil }
    }
}
