import CommandLineTool
import GeofenceAgent
import WireFormat

/// `geofenced status`: is everything all right, and if not, what is it.
enum StatusCommand: Command {
    static let declaration = CommandDeclaration(
        "status", summary: "show how the agent is doing", example: "status --json",
        options: [
            ConfigurationLoading.option,
            .flag("check", "exit with 4 unless receiver, decisions, storage and server are well"),
            .flag(
                "permissions",
                "whether the agent may know the position, and what to do next (no agent needed)"),
            .flag(
                "json",
                "one JSON object, schema geofenced.status/1 or geofenced.permissions/1"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        if arguments.flag("permissions") { return try await permissions(arguments, console) }
        let call = try ControlCall(ControlRequest(.status), at: try ControlCall.path(arguments))
        guard let line = try call.next() else {
            throw CommandFailure("\(call.path): the agent closed the connection")
        }
        let status = try WireCoding.decode(AgentStatus.self, from: line)
        if arguments.flag("json") {
            try console.print(String(decoding: line, as: UTF8.self))
        } else {
            for row in StatusText.rows(status) { try console.print(row) }
        }
        return arguments.flag("check") && !status.isWell ? .degraded : .success
    }

    /// With --check the exit status is 4 unless everything is granted; 78 where the configuration is
    /// refused, since nothing is known of the device then.
    private static func permissions(
        _ arguments: ParsedArguments, _ console: Console
    ) async throws -> ExitCode {
        _ = try ConfigurationLoading.load(arguments)
        let status = await ConfigurationLoading.doctor(arguments).permissions()
        if arguments.flag("json") {
            try console.print(String(decoding: try WireCoding.encode(status), as: UTF8.self))
        } else {
            for line in DoctorText.permissions(status) { try console.print(line) }
        }
        return arguments.flag("check") && status.status != .grantedAlways ? .degraded : .success
    }
}
