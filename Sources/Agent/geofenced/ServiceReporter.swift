import EmbeddedAgent
import GeofenceAgent
import LinuxSystem
import Synchronization
import Timekeeping

/// Tells the service manager how the agent is doing: one line of status, and the watchdog.
///
/// Status and watchdog have a task each: a control loop that hangs keeps the status waiting, and
/// must not keep the journal from hearing which part hangs.
final class ServiceReporter: Sendable {
    private let notifier: SystemdNotifier
    private let tasks: TaskThread
    private let current: Mutex<(agent: EmbeddedAgent, log: any LogSink)>

    init(
        _ notifier: SystemdNotifier, tasks: TaskThread, agent: EmbeddedAgent, log: any LogSink
    ) {
        self.tasks = tasks
        self.notifier = notifier
        current = Mutex((agent, log))
    }

    /// Speaks of another agent from now on, after a reload.
    func follow(_ agent: EmbeddedAgent, log: any LogSink) {
        current.withLock { $0 = (agent, log) }
    }

    /// Reports until the task is cancelled. Nobody listens: returns at once.
    func run() async {
        guard notifier.isActive else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.reportStatus() }
            group.addTask { await self.pingWatchdog() }
        }
    }

    private func reportStatus() async {
        var last = ""
        while !Task.isCancelled {
            if let status = await current.withLock({ $0.agent }).status() {
                let line = status.summary
                if line != last { notifier.send(.status(line)) }
                last = line
            }
            await tasks.sleep(milliseconds: Self.statusPeriodMilliseconds)
        }
    }

    private func pingWatchdog() async {
        guard let interval = notifier.watchdogMilliseconds else { return }
        var schedule = WatchdogSchedule(intervalMilliseconds: Int64(interval))
        while !Task.isCancelled {
            let (agent, log) = current.withLock { $0 }
            let stuck = agent.stuckParts(patienceSeconds: schedule.patienceSeconds)
            switch schedule.step(atMilliseconds: MonotonicClock.milliseconds, stuck: stuck) {
            case .ping: notifier.send(.watchdog)
            case .wait: break
            case .warn(let parts):
                let names = parts.map(\.rawValue).joined(separator: ", ")
                log.write(LogLine(.error, "stuck: \(names); the watchdog is not told otherwise"))
            }
            await tasks.sleep(milliseconds: schedule.stepMilliseconds)
        }
    }

    private static let statusPeriodMilliseconds: Int64 = 5000
}
