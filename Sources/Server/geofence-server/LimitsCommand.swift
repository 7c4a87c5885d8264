import CommandLineTool
import LinuxSystem
import ReferenceServer
import WireFormat

/// Shows what a workspace may have and has, and changes what it may have.
struct LimitsCommand: Command {
    static let declaration = CommandDeclaration(
        "limits", summary: "show the limits of a workspace, or change them",
        example: "limits --database server.db --workspace acme --fences 5000",
        discussion: """
            Without a limit to change, only shows them. A limit below what the workspace has leaves \
            that in place and stops more from coming. --plan production ends a trial and sets the \
            limits of production, over which limits that are given with it win. The server may be \
            running.
            """,
        options: [
            StoreAccess.database, StoreAccess.workspace,
            .value(
                "plan", "PLAN", "the limits of a plan",
                oneOf: Workspace.Plan.allCases.map(\.rawValue)),
            .value("fences", "N", "fences"),
            .value("keys", "N", "device keys that are not bound to one device"),
            .value("devices", "N|none", "devices"),
            .value("events-per-month", "N|none", "accepted events in a calendar month, UTC"),
            .json,
        ])

    /// The greatest limit that can be set.
    static let greatest = 1_000_000_000

    private struct Answer: Encodable {
        var schema = "geofence-server.limits/1"
        var workspace: String
        var plan: String
        var trialEndsAt: String?
        var fences: Row
        var keys: Row
        var devices: Row
        var eventsThisMonth: Row

        struct Row: Encodable {
            var used: Int
            var limit: Int?
        }

        private enum CodingKeys: String, CodingKey {
            case schema, workspace, plan, fences, keys, devices
            case trialEndsAt = "trial_ends_at"
            case eventsThisMonth = "events_this_month"
        }
    }

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let store = try StoreAccess.open(arguments.string("database"))
        var workspace = try StoreAccess.workspace(arguments.string("workspace"), in: store)
        let now = SystemTimekeeper().wallClock.time
        let changed = try change(workspace, arguments)
        if changed != workspace {
            try store.setPlan(changed.plan, limits: changed.limits, of: workspace.id, now: now)
            workspace = try store.workspace(workspace.id) ?? changed
        }
        let usage = try store.usage(of: workspace.id, now: now)
        let limits = workspace.limits
        let answer = Answer(
            workspace: workspace.name, plan: workspace.plan.rawValue,
            trialEndsAt: workspace.trialEndsAt?.rfc3339,
            fences: .init(used: usage.fences, limit: limits.fences),
            keys: .init(used: usage.keys, limit: limits.keys),
            devices: .init(used: usage.devices, limit: limits.devices),
            eventsThisMonth: .init(used: usage.eventsThisMonth, limit: limits.eventsPerMonth))
        if arguments.flag("json") {
            try console.print(String(decoding: WireCoding.encode(answer), as: UTF8.self))
        } else {
            try show(answer, on: console)
        }
        return .success
    }

    private static func change(
        _ workspace: Workspace, _ arguments: ParsedArguments
    ) throws -> Workspace {
        var changed = workspace
        if let plan = arguments.string("plan").flatMap(Workspace.Plan.init) {
            changed.plan = plan
            changed.limits = .defaults(of: plan)
        }
        if let fences = try arguments.int("fences", in: 0...greatest) {
            changed.limits.fences = fences
        }
        if let keys = try arguments.int("keys", in: 0...greatest) { changed.limits.keys = keys }
        if arguments.string("devices") != nil {
            changed.limits.devices = try optional("devices", arguments)
        }
        if arguments.string("events-per-month") != nil {
            changed.limits.eventsPerMonth = try optional("events-per-month", arguments)
        }
        return changed
    }

    /// Nil: "none" was given.
    private static func optional(_ name: String, _ arguments: ParsedArguments) throws -> Int? {
        arguments.string(name) == "none" ? nil : try arguments.int(name, in: 0...greatest)
    }

    private static func show(_ answer: Answer, on console: Console) throws {
        func line(_ name: String, _ row: Answer.Row) throws {
            let limit = row.limit.map { String($0) } ?? "unlimited"
            try console.print("\(name)\(row.used) of \(limit)")
        }
        let end = answer.trialEndsAt.map { ", until \($0)" } ?? ""
        try console.print("workspace          \(answer.workspace) (\(answer.plan)\(end))")
        try line("fences             ", answer.fences)
        try line("device keys        ", answer.keys)
        try line("devices            ", answer.devices)
        try line("events this month  ", answer.eventsThisMonth)
    }
}
