import GeofenceAgent
import LinuxSystem
import NMEA
import Positioning
import Receivers
import Timekeeping
import WireFormat

/// Looks at the receiver: its port, and what comes out of it. With the agent running that is what
/// the agent says; with the agent stopped the port is opened for some seconds and given back.
struct ReceiverProbe {
    var configuration: AgentConfiguration
    var stateDirectory: String
    /// Nil: the agent is stopped.
    var status: AgentStatus?

    /// How long the receiver is listened to, at most: two speeds and a few fixes at 1 Hz.
    static let listeningMilliseconds = 8000

    /// What was found: for the doctor, and for the permission status.
    func examine() -> (facts: DoctorFacts.Receiver, permission: PermissionFacts.Receiver) {
        if configuration.position == nil, configuration.receiver.source == .gpsd {
            return examineGPSD()
        }
        guard let path = serialPath else {
            return Self.apart(from: sourceName, fix: fixOfAgent(), isRunning: status != nil)
        }
        let device = path.isEmpty ? nil : RealPath.of(path)
        let port = Self.port(path, device)
        let rights = Self.rights(path, device)
        let holders = Self.holders(device, isAgentRunning: status != nil)
        let heard = hear(path, port, rights, holders)
        let facts = DoctorFacts.Receiver(
            port: port, rights: rights, holders: holders, console: Self.console(device),
            gpsd: GPSDProbe.facts(device: device, holders: holders), data: heard.data,
            fix: heard.fix)
        return (facts, Self.permission(facts))
    }

    /// The port's path, empty where none is found; nil where positions come from elsewhere.
    private var serialPath: String? {
        guard configuration.position == nil else { return nil }
        guard ["auto", "serial"].contains(configuration.receiver.source.rawValue) else {
            return nil
        }
        return status?.receiver.device
            ?? ReceiverPortFinder.first(configured: configuration.receiver.path) ?? ""
    }

    private var sourceName: String {
        if configuration.position != nil { return "a fixed position" }
        let source = configuration.receiver.source.rawValue
        return source == "file" ? "a file" : source
    }

    // MARK: - What comes out

    private func hear(
        _ path: String, _ port: DoctorFacts.Port, _ rights: DoctorFacts.Rights,
        _ holders: DoctorFacts.Holders
    ) -> Heard {
        if let status { return Heard(status) }
        guard case .present = port else { return .nothing("there is no port to listen to") }
        if case .notReadable = rights { return .nothing("the port may not be read") }
        if case .held(let who) = holders { return .nothing("\(who) reads from the port") }
        return listen()
    }

    private func fixOfAgent() -> DoctorFacts.Fix {
        status.map { Heard($0).fix } ?? .unknown(reason: "the agent is not running")
    }

    private func listen() -> Heard {
        let speeds = BaudMemory(directory: stateDirectory, log: NoLog()).read()
        let source = SerialFixSource(
            SerialFixSource.Configuration(
                path: configuration.receiver.path, baud: configuration.receiver.baud,
                lastGoodBaud: speeds, deliversRawBytes: false,
                decoder: NMEADecoder.Configuration(dateFloor: ProjectVersion.dateFloor)),
            timekeeper: SystemTimekeeper())
        let ear = listen(to: source)
        let counters = source.snapshot.counters
        return ear.heard(
            Ear.Counters(
                bytes: counters.bytes, accepted: counters.accepted, rejected: counters.rejected,
                words: "accepted"), at: SystemTimekeeper().uptime)
    }

    /// Until there is a fix, or the time is over; the source is stopped afterwards.
    private func listen(to source: any FixSource) -> Ear {
        let ear = Ear(rules: PipelineRules(configuration).filter)
        source.start(deliver: ear.take)
        let end = MonotonicClock.milliseconds + Int64(Self.listeningMilliseconds)
        while MonotonicClock.milliseconds < end, !ear.hasFix {
            _ = ear.bell?.wait(milliseconds: 200)
        }
        source.stop()
        return ear
    }

    // MARK: - gpsd

    /// gpsd has the port; the question is whether it answers, and with what.
    private func examineGPSD() -> (DoctorFacts.Receiver, PermissionFacts.Receiver) {
        let place = "\(configuration.receiver.host):\(configuration.receiver.port)"
        if let status {
            let gpsd: DoctorFacts.GPSD =
                status.receiver.device == nil
                ? .absent(reason: "\(place): \(status.receiver.reason)") : .serves(place: place)
            return Self.served(Heard(status), gpsd)
        }
        guard
            let address = GPSDAddress(
                host: configuration.receiver.host, port: configuration.receiver.port)
        else {
            return Self.served(.nothing("no address"), .absent(reason: "\(place) is no address"))
        }
        let source = GPSDFixSource(
            GPSDFixSource.Configuration(
                address: address, deliversReports: false,
                decoder: GPSDDecoder.Configuration(dateFloor: ProjectVersion.dateFloor)),
            timekeeper: SystemTimekeeper())
        let ear = listen(to: source)
        let snapshot = source.snapshot
        let counters = snapshot.counters
        guard snapshot.openings > 0 else {
            let reason = "\(place): \(ear.reason)"
            return Self.served(.nothing("gpsd does not answer"), .absent(reason: reason))
        }
        // gpsd says its release at once; what does not is something else.
        guard snapshot.release != nil else {
            let reason = "\(place): something answers that is no gpsd"
            return Self.served(.nothing("gpsd does not answer"), .absent(reason: reason))
        }
        return Self.served(
            ear.heard(
                Ear.Counters(
                    bytes: counters.bytes, accepted: counters.positions,
                    rejected: counters.rejected, words: "positions"),
                at: SystemTimekeeper().uptime), .serves(place: place))
    }
}

/// The doctor's own findings are its report; what its parts would log is nobody's business.
struct NoLog: LogSink {
    func write(_ line: LogLine) {}
}
