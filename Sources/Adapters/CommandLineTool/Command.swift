/// One subcommand of a program, in a file of its own.
public protocol Command: Sendable {
    /// What it accepts, with its help and an example.
    static var declaration: CommandDeclaration { get }

    /// Where the tasks of the work run; nil: in Swift's shared pool.
    static func executor() throws -> (any TaskExecutor)?

    /// Does the work. Throws `UsageError` (exit 2), `CommandFailure` (its own status), or anything
    /// else (exit 1); the program prints the error and flushes standard output.
    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode
}

extension Command {
    public static func executor() throws -> (any TaskExecutor)? { nil }
}
