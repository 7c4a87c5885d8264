import CommandLineTool
import GeofenceAgent
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
        let pages = ProgramPages()
        let tasks = try TaskThread.shared()
        let signals = try SignalMonitor(on: tasks.loop)
        var service = try await AgentService(notifier: SystemdNotifier(), tasks: tasks) {
            try ConfigurationLoading.load(arguments).value
        }
        let tidying = Task(executorPreference: tasks) {
            await tasks.sleep(milliseconds: startMilliseconds)
            while !Task.isCancelled {
                pages.letGo()
                await tasks.sleep(milliseconds: tidyingPeriodMilliseconds)
            }
        }
        defer { tidying.cancel() }
        try await service.run(until: signals.signals)
        return .success
    }

    /// Until what only a start needs is done.
    private static let startMilliseconds: Int64 = 20_000
    private static let tidyingPeriodMilliseconds: Int64 = 600_000
}
