/// Help for people, made from the declarations: the same words as the completions.
enum HelpText {
    static let lineWidth = 80
    /// Terms longer than this stand on a line of their own.
    static let widestTerm = 28

    /// Help of one command.
    static func command(_ declaration: CommandDeclaration, program: String) -> String {
        var lines = ["\(program) \(declaration.path): \(declaration.summary)", ""]
        lines += wrap(["usage: \(program)"] + usageParts(declaration), indent: 4)
        lines += paragraphs(declaration.discussion).flatMap { [""] + wrap($0) }
        lines += section(
            "arguments", declaration.positionals.map { ($0.name, summary(of: $0)) })
        lines += section(
            "options", declaration.allOptions.map { (term(of: $0), summary(of: $0)) })
        lines += ["", "example:", "  \(program) \(declaration.example)"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Help of a program, or of the commands under `group`.
    static func program(_ program: CommandLineProgram, group: [String]) -> String {
        let declarations = program.commands.map { $0.declaration }
            .filter { $0.words.starts(with: group) }
        let title = ([program.name] + group).joined(separator: " ")
        var lines = group.isEmpty ? ["\(title): \(program.summary)", ""] : []
        lines += ["usage: \(title) COMMAND [OPTION...]"]
        lines += section("commands", declarations.map { ($0.path, $0.summary) })
        lines += ["", "'\(program.name) COMMAND --help' explains a command."]
        if group.isEmpty, let first = declarations.first {
            lines += ["", "example:", "  \(program.name) \(first.example)"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// "status [--check] [--json]"
    static func usage(_ declaration: CommandDeclaration) -> String {
        usageParts(declaration).joined(separator: " ")
    }

    /// What a line break never splits.
    private static func usageParts(_ declaration: CommandDeclaration) -> [String] {
        let options = declaration.options.map { option in
            let name = option.valueName.map { "--\(option.name) \($0)" } ?? "--\(option.name)"
            let repeated = option.isRepeatable ? "\(name)..." : name
            return option.isRequired ? repeated : "[\(repeated)]"
        }
        return [declaration.path] + options + declaration.positionals.map(\.usage)
    }

    static func term(of option: CommandOption) -> String {
        let short = option.short.map { "-\($0), " } ?? ""
        return short + "--\(option.name)" + (option.valueName.map { " \($0)" } ?? "")
    }

    static func summary(of option: CommandOption) -> String {
        summary(option.summary, option.allowedValues, option.defaultText)
    }

    static func summary(of positional: CommandPositional) -> String {
        summary(positional.summary, positional.allowedValues, nil)
    }

    private static func summary(_ text: String, _ allowed: [String]?, _ standard: String?) -> String
    {
        var text = text
        if let allowed { text += ": \(allowed.joined(separator: ", "))" }
        if let standard { text += " (default: \(standard))" }
        return text
    }

    private static func section(_ title: String, _ entries: [(String, String)]) -> [String] {
        guard !entries.isEmpty else { return [] }
        let width = entries.map(\.0.count).filter { $0 <= widestTerm }.max() ?? 0
        var lines = ["", "\(title):"]
        for (term, summary) in entries {
            let padding = String(repeating: " ", count: max(0, width - term.count))
            if term.count <= width {
                lines += wrap("  \(term)\(padding)  \(summary)", indent: width + 4, first: 0)
            } else {
                lines += ["  \(term)"] + wrap(summary, indent: width + 4, first: width + 4)
            }
        }
        return lines
    }

    /// The paragraphs of a text, which empty lines part; its other line breaks are spaces.
    private static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .split(separator: "")
            .map { $0.joined(separator: " ") }
    }

    /// Breaks a text at spaces; spaces between its words are kept within a line.
    private static func wrap(_ text: String, indent: Int = 0, first: Int = 0) -> [String] {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return wrap(words, indent: indent, first: first)
    }

    private static func wrap(_ words: [String], indent: Int, first: Int = 0) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: first) + (words.first ?? "")
        for word in words.dropFirst() {
            if !word.isEmpty, line.count + 1 + word.count > lineWidth {
                lines.append(line)
                line = String(repeating: " ", count: indent) + word
            } else {
                line += " " + word
            }
        }
        return lines + [line]
    }
}
