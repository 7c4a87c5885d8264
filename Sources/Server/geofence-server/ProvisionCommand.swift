import CommandLineTool
import LinuxSystem
import ReferenceServer
import WireFormat

/// Issues a single-use code that a device exchanges for a key of its own.
struct ProvisionCommand: Command {
    static let declaration = CommandDeclaration(
        "provision", summary: "issue a single-use code for a device, and print it, once",
        example: "provision --database server.db --device-id van-7",
        discussion: """
            Within \(ProvisionCode.validHours) hours one device can exchange the code for a key that \
            opens for that device alone (POST /v1/provision). Such keys do not count among the keys \
            of the workspace.
            """,
        options: [
            StoreAccess.database, StoreAccess.workspace,
            .value("device-id", "ID", "the only device that may use it"), .json,
        ])

    private struct Answer: Encodable {
        var schema = "geofence-server.code/1"
        var code: String
        var expiresAt: String

        private enum CodingKeys: String, CodingKey {
            case schema, code
            case expiresAt = "expires_at"
        }
    }

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let store = try StoreAccess.open(arguments.string("database"))
        let workspace = try StoreAccess.workspace(arguments.string("workspace"), in: store)
        let now = SystemTimekeeper().wallClock.time
        let code = try ProvisionCode(deviceID: StoreAccess.deviceID(arguments))
        try store.addProvisionCode(code, to: workspace.id, now: now)
        let end = ProvisionCode.end(issuedAt: now).rfc3339
        if arguments.flag("json") {
            let answer = Answer(code: code.text, expiresAt: end)
            try console.print(String(decoding: WireCoding.encode(answer), as: UTF8.self))
        } else {
            try console.print(code.text)
            console.note("good until \(end), for one device, not shown again")
        }
        return .success
    }
}
