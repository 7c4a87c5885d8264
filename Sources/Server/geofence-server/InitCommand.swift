import CommandLineTool
import LinuxSystem
import ReferenceServer
import Timekeeping
import WireFormat

/// Makes a workspace, and the database where there is none yet.
struct InitCommand: Command {
    static let declaration = CommandDeclaration(
        "init", summary: "make a workspace and print its first keys, once",
        example: "init --database /var/lib/geofence-server/server.db --workspace acme",
        discussion: "The keys are shown here and never again: the database keeps their hashes.",
        options: [
            StoreAccess.database,
            .value("workspace", "NAME", "name of the new workspace", isRequired: true),
            .value(
                "plan", "PLAN", "limits of the workspace", default: "production",
                oneOf: Workspace.Plan.allCases.map(\.rawValue)),
            .json,
        ])

    private struct Answer: Encodable {
        var schema = "geofence-server.init/1"
        var workspace: String
        var plan: String
        var adminKey: String
        var deviceKey: String

        private enum CodingKeys: String, CodingKey {
            case schema, workspace, plan
            case adminKey = "admin_key"
            case deviceKey = "device_key"
        }
    }

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let name = arguments.string("workspace") ?? ""
        guard (1...100).contains(name.count) else {
            throw UsageError("--workspace: a name has 1 to 100 characters")
        }
        let plan = arguments.string("plan").flatMap(Workspace.Plan.init) ?? .production
        StoreAccess.makePrivateFiles()
        let store = try SQLiteServerStore(
            path: arguments.string("database") ?? "", zones: ZoneinfoFolder(), creating: true)
        let now = SystemTimekeeper().wallClock.time
        if try store.workspaces().contains(where: { $0.name == name }) {
            throw CommandFailure("workspace '\(name)' is there already")
        }
        let workspace = try store.createWorkspace(
            WorkspaceDraft(name: name, plan: plan), now: now)
        let admin = try IssuedKey(.admin)
        let device = try IssuedKey(plan == .trial ? .trial : .live)
        _ = try store.addKey(admin.draft, to: workspace.id, now: now)
        _ = try store.addKey(device.draft, to: workspace.id, now: now)
        try store.checkpoint()
        if arguments.flag("json") {
            let answer = Answer(
                workspace: name, plan: plan.rawValue, adminKey: admin.text,
                deviceKey: device.text)
            try console.print(String(decoding: WireCoding.encode(answer), as: UTF8.self))
        } else {
            try console.print("workspace   \(name) (\(plan.rawValue))")
            try console.print("admin key   \(admin.text)")
            try console.print("device key  \(device.text)")
            console.note("these keys are not shown again")
        }
        return .success
    }
}
