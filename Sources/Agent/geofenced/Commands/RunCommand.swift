import CommandLineTool
import LinuxSystem

/// `geofenced run`: the agent itself.
enum RunCommand: Command {
    static let declaration = CommandDeclaration(
        "run", summary: "run the agent in the foreground",
        example: "run --config /etc/geofenced/geofenced.yaml",
        discussion: """
            Ready once the configuration is read and the queue is open; network and fix may come
            later. SIGTERM and SIGINT stop it in an orderly way within six seconds; SIGHUP reads the
            configuration again and keeps the old one where the new one is wrong. Log lines go to
            standard error.
            """,
        options: [ConfigurationLoading.option])

    /// The agent starts no worker of Swift's shared pool; see `TaskThread`.
    static func executor() throws -> (any TaskExecutor)? { try TaskThread.shared() }

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let loop = try PollLoop(name: "signals")
        defer { loop.stop() }
        let signals = try SignalMonitor(on: loop)
        var service = try await AgentService(
            notifier: SystemdNotifier(), tasks: TaskThread.shared()
        ) {
            try ConfigurationLoading.load(arguments).value
        }
        try await service.run(until: signals.signals)
        return .success
    }
}
