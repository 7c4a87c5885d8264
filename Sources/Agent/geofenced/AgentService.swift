import CommandLineTool
import EmbeddedAgent
import GeofenceAgent
import LinuxSystem
import Timekeeping

/// The agent as a service: started, told to read its configuration again, stopped.
///
/// A reload stops the agent and starts it with the new configuration in the same process. State and
/// queue are on disk, so nothing is repeated and nothing is lost, and a reload needs no other way than
/// the one that every start takes. While the disk takes nothing they are not, and none is done.
struct AgentService {
    private let load: () throws -> AgentConfiguration
    private let notifier: SystemdNotifier
    private var agent: EmbeddedAgent
    private var log: any LogSink
    private let reporter: ServiceReporter
    private let tasks: TaskThread

    /// Starts the agent, and reports to the service manager from then on. `load` reads the
    /// configuration; reports run on `tasks`. Throws with exit status 78 where somebody has to change it first.
    init(
        notifier: SystemdNotifier, tasks: TaskThread,
        load: @escaping () throws -> AgentConfiguration
    ) async throws {
        self.load = load
        self.tasks = tasks
        self.notifier = notifier
        EmbeddedAgent.claimLibrary()
        (agent, log) = Self.make(try load())
        // Killed in the middle, it would have to begin anew, for ever.
        if let seconds = agent.longStartSeconds { notifier.send(.extendTimeout(seconds: seconds)) }
        do throws(StartError) {
            try await agent.startService()
        } catch {
            throw CommandFailure(
                error.message, status: error.kind == .configuration ? .configuration : .failure)
        }
        notifier.send(.ready, .status("monitoring"))
        log.write(LogLine(.notice, "ready, control socket \(agent.paths.socket)"))
        reporter = ServiceReporter(notifier, tasks: tasks, agent: agent, log: log)
    }

    /// Works until SIGTERM or SIGINT, then stops in an orderly way.
    mutating func run(until signals: AsyncStream<ProcessSignal>) async throws {
        let reporter = reporter
        let reports = Task(executorPreference: tasks) { await reporter.run() }
        defer { reports.cancel() }
        for await signal in signals {
            if signal == .hangUp {
                try await reload()
            } else {
                log.write(LogLine(.notice, "stopping on \(signal)"))
                break
            }
        }
        notifier.send(.stopping, .status("stopping"))
        await agent.stop()
        log.write(LogLine(.notice, "stopped"))
    }

    /// Checks the new configuration first; one that is wrong changes nothing.
    private mutating func reload() async throws {
        let (next, nextLog): (EmbeddedAgent, any LogSink)
        do {
            (next, nextLog) = Self.make(try load())
            try next.check()
        } catch {
            log.write(LogLine(.error, "the configuration stays as it was: \(error)"))
            return
        }
        if let storage = await agent.status()?.queue.storage, storage != "durable" {
            log.write(
                LogLine(
                    .error,
                    "the configuration stays as it was: storage \(storage); "
                        + "events in memory would be lost"))
            return
        }
        notifier.send(.reloading(monotonicMicroseconds: MonotonicClock.microseconds))
        await agent.stop()
        do {
            try await next.startService()
            (agent, log) = (next, nextLog)
            log.write(LogLine(.notice, "the configuration was read again"))
        } catch {
            log.write(LogLine(.error, "back to the configuration from before: \(error)"))
            (agent, log) = Self.make(agent.configuration)
            do {
                try await agent.startService()
            } catch {
                throw CommandFailure("\(error)")
            }
        }
        reporter.follow(agent, log: log)
        notifier.send(.ready)
    }

    private static func make(
        _ configuration: AgentConfiguration
    ) -> (EmbeddedAgent, any LogSink) {
        let log = JournalLogSink(threshold: configuration.logLevel.level)
        return (EmbeddedAgent(configuration: configuration, log: log), log)
    }
}
