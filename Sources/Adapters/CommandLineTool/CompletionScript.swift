/// Completion scripts for shells, made from a program's declarations.
public enum CompletionScript: String, Sendable, CaseIterable {
    case bash, zsh, fish

    /// The script to be sourced or installed by that shell.
    public func text(for program: CommandLineProgram) -> String {
        switch self {
        case .bash: Self.bash(program)
        case .zsh:
            "#compdef \(program.name)\nautoload -U +X bashcompinit && bashcompinit\n"
                + Self.bash(program)
        case .fish: Self.fish(program)
        }
    }

    /// One case for each command path; what follows a path are its next words, options and choices.
    private static func bash(_ program: CommandLineProgram) -> String {
        let function = "_" + String(program.name.map { $0 == "-" ? "_" : $0 })
        var cases: [String] = []
        for path in paths(program) {
            let words = candidates(after: path, program).joined(separator: " ")
            let pattern = path.isEmpty ? "\"\"" : "\"\(path.joined(separator: " "))\""
            cases.append("        \(pattern)) words=\"\(words)\" ;;")
        }
        let known = paths(program).filter { !$0.isEmpty }
            .map { "\"\($0.joined(separator: " "))\"" }.joined(separator: "|")
        return """
            \(function)() {
                local current="${COMP_WORDS[COMP_CWORD]}" path="" words="" index
                for ((index = 1; index < COMP_CWORD; index++)); do
                    case "${path:+$path }${COMP_WORDS[index]}" in
                        \(known)) path="${path:+$path }${COMP_WORDS[index]}" ;;
                        *) break ;;
                    esac
                done
                case "$path" in
            \(cases.joined(separator: "\n"))
                esac
                COMPREPLY=($(compgen -W "$words" -- "$current"))
                [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
            }
            complete -F \(function) \(program.name)

            """
    }

    private static func fish(_ program: CommandLineProgram) -> String {
        var lines: [String] = []
        for path in paths(program) {
            let seen = path.map { "__fish_seen_subcommand_from \($0)" }
            let next = nextWords(after: path, program)
            let unseen =
                next.isEmpty
                ? [] : ["not __fish_seen_subcommand_from \(next.joined(separator: " "))"]
            let condition = (seen + unseen).joined(separator: "; and ")
            let start = "complete -c \(program.name) -n '\(condition)'"
            for word in next {
                let summary = program.command(at: path + [word])?.summary ?? ""
                lines.append("\(start) -f -a \(word) -d '\(quoted(summary))'")
            }
            guard let declaration = program.command(at: path) else { continue }
            for positional in declaration.positionals {
                guard let allowed = positional.allowedValues else { continue }
                lines.append("\(start) -f -a '\(allowed.joined(separator: " "))'")
            }
            lines += declaration.allOptions.map { "\(start) \(fishOption($0))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func fishOption(_ option: CommandOption) -> String {
        let short = option.short.map { "-s \($0) " } ?? ""
        let value = option.valueName == nil ? "" : " -r"
        let choices = option.allowedValues.map { " -f -a '\($0.joined(separator: " "))'" } ?? ""
        return "\(short)-l \(option.name)\(value)\(choices) -d '\(quoted(option.summary))'"
    }

    private static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
    }

    /// Every start of every command's path, the empty one first.
    private static func paths(_ program: CommandLineProgram) -> [[String]] {
        var found: [[String]] = [[]]
        for words in program.commands.map({ $0.declaration.words }) {
            for length in 1...max(1, words.count) {
                let path = Array(words.prefix(length))
                if !found.contains(path) { found.append(path) }
            }
        }
        return found
    }

    private static func nextWords(after path: [String], _ program: CommandLineProgram) -> [String] {
        var words: [String] = []
        for other in program.commands.map({ $0.declaration.words })
        where other.count > path.count && other.starts(with: path) {
            if !words.contains(other[path.count]) { words.append(other[path.count]) }
        }
        return words
    }

    private static func candidates(
        after path: [String], _ program: CommandLineProgram
    ) -> [String] {
        let next = nextWords(after: path, program)
        guard let declaration = program.command(at: path) else { return next + ["--help"] }
        return next + declaration.positionals.flatMap { $0.allowedValues ?? [] }
            + declaration.allOptions.map { "--\($0.name)" }
    }
}

extension CommandLineProgram {
    /// The declaration of exactly this path; nil for a group or an unknown path.
    func command(at path: [String]) -> CommandDeclaration? {
        commands.map { $0.declaration }.first { $0.words == path }
    }
}
