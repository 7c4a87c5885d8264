import CommandLineTool
import Glibc
import LinuxSystem
import ReferenceServer

/// How commands open the database.
enum StoreAccess {
    static let database = CommandOption.value(
        "database", "PATH", "the server's database", isRequired: true)
    static let workspace = CommandOption.value(
        "workspace", "NAME", "the workspace; may be left out where there is only one")

    /// The store of an existing database. Throws `CommandFailure`, status 78 where it is missing.
    static func open(_ path: String?) throws -> SQLiteServerStore {
        let path = path ?? ""
        guard access(path, F_OK) == 0 else {
            throw CommandFailure(
                "\(path): \(String(cString: strerror(errno))); "
                    + "'geofence-server init --database \(path) --workspace NAME' makes it",
                status: .configuration)
        }
        SQLiteServerStore.claimLibrary()
        return try SQLiteServerStore(path: path, zones: ZoneinfoFolder())
    }

    /// The device that an option names; nil: none.
    static func deviceID(_ arguments: ParsedArguments) throws -> String? {
        guard let id = arguments.string("device-id") else { return nil }
        guard IssuedKey.isDeviceID(id) else {
            throw UsageError("--device-id: '\(id)' is not 1 to 64 characters of A-Z a-z 0-9 . _ -")
        }
        return id
    }

    /// From now on what this program makes can be read by its user alone: the database holds places
    /// and hashes of keys.
    static func makePrivateFiles() { umask(0o077) }

    /// The workspace of a name, or the only one.
    static func workspace(
        _ name: String?, in store: SQLiteServerStore
    ) throws -> Workspace {
        let all = try store.workspaces()
        if let name {
            guard let found = all.first(where: { $0.name == name }) else {
                throw CommandFailure("no workspace '\(name)'")
            }
            return found
        }
        guard all.count == 1 else {
            let names = all.map(\.name).joined(separator: ", ")
            throw UsageError("--workspace is needed: there are \(all.count) (\(names))")
        }
        return all[0]
    }
}
