import CommandLineTool
import ReferenceServer

/// Copies the database while the server runs.
struct BackupCommand: Command {
    static let declaration = CommandDeclaration(
        "backup", summary: "write a consistent copy of the database, also of a running server",
        example: "backup --database server.db server-2026-01-31.db",
        positionals: [CommandPositional("FILE", "the copy; it must not exist")],
        options: [StoreAccess.database])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        StoreAccess.makePrivateFiles()
        let store = try StoreAccess.open(arguments.string("database"))
        try store.backUp(to: arguments.string("FILE") ?? "")
        return .success
    }
}
