import Glibc

/// A program with subcommands: chooses one by its words, parses, runs, and says what went wrong.
///
/// `main.swift` holds one line: `await CommandLineProgram(name: ..., commands: [...]).main()`.
public struct CommandLineProgram: Sendable {
    public let name: String
    public let version: String
    /// One phrase, lower case, without a full stop.
    public let summary: String
    public let commands: [any Command.Type]

    public init(name: String, version: String, summary: String, commands: [any Command.Type]) {
        self.name = name
        self.version = version
        self.summary = summary
        self.commands = commands
    }

    /// Runs with the arguments of this process and ends it.
    ///
    /// SIGPIPE is ignored from here on, so that a closed reader is an error and not a death.
    /// Up to the command's own work it stays with its caller, the main thread: a command that chooses
    /// its executor starts no worker of the shared pool before it.
    public func main(isolation: isolated (any Actor)? = #isolation) async -> Never {
        signal(SIGPIPE, SIG_IGN)
        let arguments = UnsafeBufferPointer(
            start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)
        )
        .compactMap { $0.map { String(cString: $0) } }
        let status = await run(
            Array(arguments.dropFirst()), on: .standard(programName: name))
        exit(status.rawValue)
    }

    /// Runs with the given arguments, the program's own name left out.
    public func run(
        _ arguments: [String], on console: Console,
        isolation: isolated (any Actor)? = #isolation
    ) async -> ExitCode {
        var console = console
        let status: ExitCode
        do {
            status = try await dispatch(arguments, &console)
            try console.output.flush()
        } catch OutputError.closed {
            return .success
        } catch {
            return fail(error, console)
        }
        return status
    }

    private func dispatch(
        _ arguments: [String], _ console: inout Console,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> ExitCode {
        if let first = arguments.first, ["--version", "-V"].contains(first) {
            try console.print("\(name) \(version)")
            return .success
        }
        guard let choice = choose(arguments) else {
            return try explainMissingCommand(arguments, console)
        }
        let declaration = choice.command.declaration
        let parsed: ParsedArguments
        do {
            parsed = try ArgumentParser.parse(choice.rest, for: declaration)
        } catch {
            throw UsageFailure(path: declaration.path, error: error)
        }
        console.choose(parsed.color)
        if parsed.wantsHelp {
            try console.output.text(HelpText.command(declaration, program: name))
            return .success
        }
        do {
            let chosen = console
            return try await withTaskExecutorPreference(choice.command.executor()) {
                try await choice.command.run(parsed, on: chosen)
            }
        } catch let error as UsageError {
            throw UsageFailure(path: declaration.path, error: error)
        }
    }

    /// The command with the longest path that the first words spell.
    private func choose(
        _ arguments: [String]
    ) -> (command: any Command.Type, rest: ArraySlice<String>)? {
        let matching = commands.filter { arguments.starts(with: $0.declaration.words) }
        return matching.max { $0.declaration.words.count < $1.declaration.words.count }
            .map { ($0, arguments.dropFirst($0.declaration.words.count)) }
    }

    /// Help where it is asked for, else a usage error that names the word.
    private func explainMissingCommand(
        _ arguments: [String], _ console: Console
    ) throws -> ExitCode {
        let words = Array(arguments.prefix { !$0.hasPrefix("-") })
        let group = longestGroup(words)
        let help = HelpText.program(self, group: group)
        if words.first == "help" || asksForHelp(arguments, after: group.count) {
            try console.output.text(words.first == "help" ? helpText(for: words) : help)
            return .success
        }
        guard let word = arguments.dropFirst(group.count).first else {
            console.writeError(help)
            return .usage
        }
        let path = (group + [word]).joined(separator: " ")
        let kind = word.hasPrefix("-") ? "option" : "command"
        let guess = Spelling.suggestion(for: word, among: nextWords(after: group))
        throw UsageFailure(
            path: group.joined(separator: " "),
            error: UsageError("unknown \(kind) '\(kind == "option" ? word : path)'\(guess)"))
    }

    /// `help fences list` is `fences list --help`.
    private func helpText(for words: [String]) -> String {
        let asked = Array(words.dropFirst())
        if let choice = choose(asked) {
            return HelpText.command(choice.command.declaration, program: name)
        }
        return HelpText.program(self, group: longestGroup(asked))
    }

    private func asksForHelp(_ arguments: [String], after count: Int) -> Bool {
        let next = arguments.dropFirst(count).first
        return next == "--help" || next == "-h"
    }

    /// The longest start of `words` under which there are commands.
    private func longestGroup(_ words: [String]) -> [String] {
        var group = words
        while !group.isEmpty,
            !commands.contains(where: { $0.declaration.words.starts(with: group) })
        {
            group.removeLast()
        }
        return group
    }

    private func nextWords(after group: [String]) -> [String] {
        commands.map { $0.declaration.words }
            .filter { $0.starts(with: group) && $0.count > group.count }
            .map { $0[group.count] }
    }

    private func fail(_ error: any Error, _ console: Console) -> ExitCode {
        try? console.output.flush()
        switch error {
        case let usage as UsageFailure:
            console.note(usage.error.message)
            let command = ([name] + (usage.path.isEmpty ? [] : [usage.path]))
                .joined(separator: " ")
            console.writeError("Try '\(command) --help'.")
            return .usage
        case let failure as CommandFailure:
            console.note(failure.message)
            return failure.status
        default:
            console.note("\(error)")
            return .failure
        }
    }
}

/// A usage error together with the command whose help explains it.
private struct UsageFailure: Error {
    let path: String
    let error: UsageError
}
