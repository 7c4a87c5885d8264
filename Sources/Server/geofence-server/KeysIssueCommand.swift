import CommandLineTool
import LinuxSystem
import ReferenceServer
import Timekeeping
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
            .value("expires", "TIME", "until when it opens, such as 2027-01-31T00:00:00Z"),
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
        let now = SystemTimekeeper().wallClock.time
        let device = try StoreAccess.deviceID(arguments)
        if device != nil, scope == .admin {
            throw UsageError("--device-id: an administrator's key has no device")
        }
        let issued = try IssuedKey(
            scope, deviceID: device, expiresAt: try expiry(arguments, after: now))
        let record = try store.addKey(issued.draft, to: workspace.id, now: now)
        if arguments.flag("json") {
            let answer = Answer(id: record.id, key: issued.text)
            try console.print(String(decoding: WireCoding.encode(answer), as: UTF8.self))
        } else {
            try console.print(issued.text)
            console.note("key \(record.id), not shown again")
        }
        return .success
    }

    private static func expiry(
        _ arguments: ParsedArguments, after now: UTCTime
    ) throws -> UTCTime? {
        guard let text = arguments.string("expires") else { return nil }
        guard let time = UTCTime(rfc3339: text) else {
            throw UsageError("--expires: '\(text)' is not a time such as 2027-01-31T00:00:00Z")
        }
        guard time > now else { throw UsageError("--expires: \(time) is past") }
        return time
    }
}
