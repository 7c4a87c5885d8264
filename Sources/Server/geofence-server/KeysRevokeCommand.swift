import CommandLineTool
import LinuxSystem
import ReferenceServer

/// Revokes a key, from the next request on.
struct KeysRevokeCommand: Command {
    static let declaration = CommandDeclaration(
        "keys revoke", summary: "revoke a key, from the next request on",
        example: "keys revoke --database server.db 3",
        positionals: [CommandPositional("ID", "the number that 'keys list' shows")],
        options: [StoreAccess.database, StoreAccess.workspace])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let store = try StoreAccess.open(arguments.string("database"))
        let workspace = try StoreAccess.workspace(arguments.string("workspace"), in: store)
        guard let id = try arguments.int("ID", in: 1...Int.max),
            try store.revokeKey(
                Int64(id), of: workspace.id, now: SystemTimekeeper().wallClock.time)
        else { throw CommandFailure("no key \(arguments.string("ID") ?? "")") }
        return .success
    }
}
