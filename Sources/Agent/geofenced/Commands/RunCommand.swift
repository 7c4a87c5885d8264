import CommandLineTool
import EmbeddedAgent
import LinuxSystem
import Timekeeping

/// `geofenced run`: the agent itself.
enum RunCommand: Command {
    static let declaration = CommandDeclaration(
        "run", summary: "run the agent in the foreground",
        example: "run --config /etc/geofenced/geofenced.yaml",
        discussion: """
            Ready once the configuration is read and the queue is open; network and fix may come
            later. SIGTERM and SIGINT stop it in an orderly way. Log lines go to standard error.
            """,
        options: [ConfigurationLoading.option])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let configuration = try ConfigurationLoading.load(arguments).value
        let log = JournalLogSink(threshold: configuration.logLevel.level)
        let notifier = SystemdNotifier()
        let loop = try PollLoop(name: "signals")
        let signals = try SignalMonitor(on: loop)
        let agent = EmbeddedAgent(configuration: configuration, log: log)
        do throws(StartError) {
            try await agent.start()
        } catch {
            throw CommandFailure(
                error.message, status: error.kind == .configuration ? .configuration : .failure)
        }
        notifier.send(.ready, .status("monitoring"))
        log.write(LogLine(.notice, "ready, control socket \(agent.paths.socket)"))
        for await signal in signals.signals where signal != .hangUp {
            log.write(LogLine(.notice, "stopping on \(signal)"))
            break
        }
        notifier.send(.stopping)
        await agent.stop()
        loop.stop()
        log.write(LogLine(.notice, "stopped"))
        return .success
    }
}
