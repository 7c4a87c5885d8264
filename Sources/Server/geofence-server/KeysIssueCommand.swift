import CommandLineTool
import LinuxSystem
import ReferenceServer
import WireFormat

/// Issues a key and prints it, once.
struct KeysIssueCommand: Command {
    static let declaration = CommandDeclaration(
        "keys issue", summary: "issue a key and print it, once",
        example: "keys issue --database server.db --scope live --device-id van-7",
        options: [
            StoreAccess.database, StoreAccess.workspace,
            .value(
                "scope", "SCOPE", "what it opens: device routes or the administrator's",
                oneOf: KeyScope.allCases.map(\.rawValue), isRequired: true),
            .value("device-id", "ID", "the only device that may use it"),
            .json,
        ])

    private struct Answer: Encodable {
        var schema = "geofence-server.key/1"
        var id: Int64
        var key: String
    }

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let store = try StoreAccess.open(arguments.string("database"))
        let workspace = try StoreAccess.workspace(arguments.string("workspace"), in: store)
        let scope = arguments.string("scope").flatMap(KeyScope.init) ?? .live
        let issued = try IssuedKey(scope, deviceID: arguments.string("device-id"))
        let record = try store.addKey(
            issued.draft, to: workspace.id, now: SystemTimekeeper().wallClock.time)
        if arguments.flag("json") {
            let answer = Answer(id: record.id, key: issued.text)
            try console.print(String(decoding: WireCoding.encode(answer), as: UTF8.self))
        } else {
            try console.print(issued.text)
            console.note("key \(record.id), not shown again")
        }
        return .success
    }
}
