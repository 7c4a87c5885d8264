import AgentStorage
import Delivery
import GeofenceAgent
import LinuxSystem
import Timekeeping

extension SQLiteEventQueue {
    /// The queue that the configuration names.
    static func opened(
        _ configuration: AgentConfiguration, _ paths: AgentPaths, deviceID: String,
        machine: MachineIdentity, isDrain: Bool = false, time: any Timekeeper, log: any LogSink
    ) throws(StartError) -> sending SQLiteEventQueue {
        do throws(QueueError) {
            return try SQLiteEventQueue(
                directory: paths.stateDirectory, deviceID: deviceID,
                hardwareID: machine.deviceTreeSerial,
                fileBirth: { FileBirth.nanoseconds(of: $0) },
                limits: StorageLimits(
                    maxBytes: Int64(configuration.queue.maxBytes),
                    breadcrumbBytes: configuration.breadcrumbs.isEnabled
                        ? Int64(configuration.breadcrumbs.maxBytes) : 0),
                isDrain: isDrain, timekeeper: time, log: log)
        } catch {
            let problem = StoredQueueProblem(error)
            guard problem.isOfInstallation else { throw StartError(.environment, "\(error)") }
            throw StartError(.configuration, problem.description)
        }
    }
}

extension EmbeddedAgent {
    /// For a program whose only use of SQLite is its agent, before it starts the first: see
    /// `SQLiteEventQueue.claimLibrary`.
    public static func claimLibrary() { SQLiteEventQueue.claimLibrary() }
}
