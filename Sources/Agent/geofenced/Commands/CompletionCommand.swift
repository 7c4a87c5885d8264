import CommandLineTool

/// `geofenced completion`: the script by which a shell completes this program's words.
enum CompletionCommand: Command {
    static let declaration = CommandDeclaration(
        "completion", summary: "print a completion script for a shell",
        example: "completion bash > /etc/bash_completion.d/geofenced",
        positionals: [
            CommandPositional(
                "SHELL", "the shell", oneOf: CompletionScript.allCases.map(\.rawValue))
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        guard let shell = arguments.string("SHELL").flatMap(CompletionScript.init) else {
            throw UsageError("SHELL is missing")
        }
        try console.print(shell.text(for: GeofencedProgram.program))
        return .success
    }
}
