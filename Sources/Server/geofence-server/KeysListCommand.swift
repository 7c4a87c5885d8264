import CommandLineTool
import ReferenceServer
import WireFormat

/// Lists keys by what can be shown of them.
struct KeysListCommand: Command {
    static let declaration = CommandDeclaration(
        "keys list", summary: "list keys by prefix and last four characters",
        example: "keys list --database server.db",
        options: [StoreAccess.database, StoreAccess.workspace, .json])

    struct Row: Encodable {
        let key: KeyRecord

        private enum CodingKeys: String, CodingKey {
            case id, scope, prefix
            case lastFour = "last_four"
            case deviceID = "device_id"
            case createdAt = "created_at"
            case expiresAt = "expires_at"
            case revokedAt = "revoked_at"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(key.id, forKey: .id)
            try container.encode(key.scope.rawValue, forKey: .scope)
            try container.encode(key.prefix, forKey: .prefix)
            try container.encode(key.lastFour, forKey: .lastFour)
            try container.encode(key.deviceID, forKey: .deviceID)
            try container.encode(key.createdAt.rfc3339, forKey: .createdAt)
            try container.encode(key.expiresAt?.rfc3339, forKey: .expiresAt)
            try container.encode(key.revokedAt?.rfc3339, forKey: .revokedAt)
        }
    }

    private struct Answer: Encodable {
        var schema = "geofence-server.keys/1"
        var keys: [Row]
    }

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let store = try StoreAccess.open(arguments.string("database"))
        let workspace = try StoreAccess.workspace(arguments.string("workspace"), in: store)
        let keys = try store.keys(of: workspace.id)
        if arguments.flag("json") {
            let answer = Answer(keys: keys.map(Row.init(key:)))
            try console.print(String(decoding: WireCoding.encode(answer), as: UTF8.self))
            return .success
        }
        for key in keys {
            let state =
                key.revokedAt.map { "revoked \($0)" } ?? key.expiresAt.map { "until \($0)" }
                ?? "valid"
            let device = key.deviceID.map { ", device \($0)" } ?? ""
            try console.print(
                "\(key.id)  \(key.prefix)...\(key.lastFour)  since \(key.createdAt), "
                    + "\(state)\(device)")
        }
        return .success
    }
}
