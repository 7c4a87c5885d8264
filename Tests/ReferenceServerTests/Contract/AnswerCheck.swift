import WireFormat

@testable import ConfigurationFile

/// Holds answers to the contract: header fields, members, kinds and words. Ranges and patterns are
/// left to `scripts/contract`.
struct AnswerCheck {
    let contract: Contract
    /// What is wrong, and where.
    private(set) var defects: [String] = []
    /// The lists of required members that an object was held to.
    private(set) var held: Set<SourceMark> = []

    init(_ contract: Contract) {
        self.contract = contract
    }

    /// `operation` is "GET /v1/config".
    mutating func check(_ answer: Answer, of operation: String) {
        let place = "\(operation) \(answer.status)"
        guard let response = contract.response(operation, answer.status) else {
            defects.append("\(place): not documented")
            return
        }
        for field in response["headers"]?.entries ?? [] {
            let isRequired = contract.resolved(field.value)["required"]?.text == "true"
            if isRequired, answer.response.headers[field.key] == nil {
                defects.append("\(place): no \(field.key)")
            }
        }
        guard let content = response["content"] else {
            if !answer.response.body.isEmpty { defects.append("\(place): has a body") }
            return
        }
        let type = answer.response.headers["Content-Type"]?.prefix { $0 != ";" }
        guard let schema = type.flatMap({ content[String($0)]?["schema"] }) else {
            defects.append("\(place): is \(type ?? "of no type")")
            return
        }
        guard type?.hasSuffix("json") == true else { return }
        guard let json = answer.json else {
            defects.append("\(place): is no JSON")
            return
        }
        check(json, schema, at: place + " ")
    }

    mutating func check(_ value: JSONValue, _ schema: ConfigurationNode, at pointer: String) {
        let schema = contract.resolved(schema)
        checkKind(value, schema, at: pointer)
        switch value {
        case .object(let members): checkMembers(members, schema, at: pointer)
        case .array(let elements):
            guard let items = schema["items"] else { break }
            for (index, element) in elements.enumerated() {
                check(element, items, at: "\(pointer)/\(index)")
            }
        default: break
        }
        for part in schema["allOf"]?.elements ?? [] { check(value, part, at: pointer) }
        for name in ["anyOf", "oneOf"] {
            if let choices = schema[name]?.elements { checkChoice(value, choices, at: pointer) }
        }
    }

    private mutating func checkKind(
        _ value: JSONValue, _ schema: ConfigurationNode, at pointer: String
    ) {
        if let type = schema["type"] {
            let allowed = type.text.map { [$0] } ?? type.elements.compactMap(\.text)
            if Set(allowed).isDisjoint(with: value.kinds) {
                defects.append("\(pointer): is no \(allowed.joined(separator: " or "))")
            }
        }
        let words = schema["enum"]?.elements ?? schema["const"].map { [$0] }
        if let words, !words.contains(where: { value.isWord($0) }) {
            defects.append("\(pointer): \(value) is no word of the contract")
        }
    }

    private mutating func checkMembers(
        _ members: [String: JSONValue], _ schema: ConfigurationNode, at pointer: String
    ) {
        if let required = schema["required"] {
            held.insert(required.mark)
            for name in required.elements.compactMap(\.text) where members[name] == nil {
                defects.append("\(pointer)/\(name): is missing")
            }
        }
        let known = schema["properties"]?.entries ?? []
        for member in known {
            if let value = members[member.key] {
                check(value, member.value, at: "\(pointer)/\(member.key)")
            }
        }
        guard schema["additionalProperties"]?.text == "false" else { return }
        for name in members.keys.sorted() where !known.contains(where: { $0.key == name }) {
            defects.append("\(pointer)/\(name): is not documented")
        }
    }

    private mutating func checkChoice(
        _ value: JSONValue, _ choices: [ConfigurationNode], at pointer: String
    ) {
        var failures: [String] = []
        for choice in choices {
            var one = self
            one.defects = []
            one.check(value, choice, at: pointer)
            if one.defects.isEmpty {
                held = one.held
                return
            }
            failures += one.defects
        }
        defects.append("\(pointer): is none of the choices, \(failures)")
    }
}

extension JSONValue {
    /// The names of JSON Schema for what it is.
    fileprivate var kinds: Set<String> {
        switch self {
        case .null: ["null"]
        case .bool: ["boolean"]
        case .number(let value): value == value.rounded() ? ["integer", "number"] : ["number"]
        case .string: ["string"]
        case .array: ["array"]
        case .object: ["object"]
        }
    }

    fileprivate func isWord(_ node: ConfigurationNode) -> Bool {
        switch self {
        case .null: node.isNull
        case .bool(let value): node.text == "\(value)"
        case .string(let text): node.text == text && !node.isNull
        case .number(let value): node.text.flatMap { Double($0) } == value
        case .array, .object: false
        }
    }
}
