import AgentStorage
import Delivery
import GeofenceAgent
import HTTPTransport
import LinuxSystem
import Timekeeping
import WireFormat

/// What can be done with the queue of an agent that does not run.
public struct StoppedAgent: Sendable {
    private let configuration: AgentConfiguration
    private let paths: AgentPaths
    private let log: any LogSink

    public init(_ configuration: AgentConfiguration, log: any LogSink) {
        self.configuration = configuration
        paths = AgentPaths(configuration)
        self.log = log
    }

    /// Uploads until nothing is left, the server takes nothing more, or the time is over; a request
    /// that is under way then ends a second later. Blocks; call it off the cooperative pool.
    ///
    /// The queue belongs to this process meanwhile, unless an agent wants it. Throws where there is
    /// none, or no server, where an agent has it, or where the disk takes no writes: memory holds
    /// only a part of it, and no receipt would stay.
    public func drain(seconds: Double) throws(StartError) -> FlushReport {
        let machine = MachineIdentity()
        let time = SystemTimekeeper()
        let deviceID = try DeviceIdentity.make(configuration.device, machine: machine)
        guard
            let settings = try TransportSettings(configuration, paths, deviceID: deviceID)
        else { throw StartError(.configuration, "server: there is none to send events to") }
        if let problem = StoredQueueProblem(at: paths.stateDirectory) {
            throw StartError(.environment, problem.description)
        }
        let queue = try SQLiteEventQueue.opened(
            configuration, paths, deviceID: deviceID, machine: machine, isDrain: true, time: time,
            log: log)
        defer { queue.close() }
        if let problem = queue.health.problem {
            throw StartError(.environment, "nothing is sent: storage \(problem)")
        }
        let certificates = CertificateTime(floor: ProjectVersion.dateFloor)
        if let last = QueueDrain.lastGoodTime(in: queue) { certificates.restore(last) }
        let connection = HTTPConnection(settings: settings, timekeeper: time) {
            let now = certificates.now(time.wallClock, at: time.uptime)
            return VerificationClock(time: now.time, isTrusted: now.isTrusted)
        }
        do throws(SystemError) {
            let interruption = try DrainInterruption(
                seconds: max(0, min(seconds, 3600)), isWanted: queue.isWanted, connection)
            defer { interruption.end() }
            var drain = QueueDrain(
                queue, sender: HTTPEventSender(connection, timekeeper: time),
                maxBatch: configuration.upload.maxBatch, time: time, isWanted: queue.isWanted,
                sleep: interruption.sleep)
            return drain.run(
                until: time.uptime.advanced(
                    byMilliseconds: Int64(max(0, min(seconds, 3600)) * 1000)))
        } catch {
            throw StartError(.environment, "\(error)")
        }
    }
}

/// Cuts a drain short when its time is over or an agent wants the queue.
private final class DrainInterruption: Sendable {
    private let isDone: WakeEvent
    private let cut: WakeEvent
    private let guardian: DedicatedThread

    private static let lookMilliseconds = 100

    init(
        seconds: Double, isWanted: @escaping @Sendable () -> Bool, _ connection: HTTPConnection
    ) throws(SystemError) {
        let (isDone, cut) = (try WakeEvent(), try WakeEvent())
        self.isDone = isDone
        self.cut = cut
        let looks = Int(seconds * 1000) / Self.lookMilliseconds
        guardian = try DedicatedThread(name: "deadline") {
            for _ in 0..<looks {
                if isDone.wait(milliseconds: Self.lookMilliseconds) { return }
                if isWanted() { break }
            }
            connection.stop()
            cut.signal()
        }
    }

    /// Returns earlier when the drain is cut short.
    func sleep(milliseconds: Int64) {
        _ = cut.wait(milliseconds: Int(clamping: milliseconds))
    }

    func end() {
        isDone.signal()
        guardian.join(milliseconds: 1000)
    }
}
