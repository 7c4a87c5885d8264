import GeofenceAgent
import LinuxSystem
import NMEA
import Positioning
import Receivers
import Synchronization
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
        guard let path = serialPath else {
            return Self.apart(from: sourceName, fix: fixOfAgent())
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
        let time = SystemTimekeeper()
        let source = SerialFixSource(
            SerialFixSource.Configuration(
                path: configuration.receiver.path, baud: configuration.receiver.baud,
                lastGoodBaud: speeds, deliversRawBytes: false,
                decoder: NMEADecoder.Configuration(dateFloor: ProjectVersion.dateFloor)),
            timekeeper: time)
        let ear = Ear(rules: PipelineRules(configuration).filter)
        source.start(deliver: ear.take)
        let end = MonotonicClock.milliseconds + Int64(Self.listeningMilliseconds)
        while MonotonicClock.milliseconds < end, !ear.hasFix {
            _ = ear.bell?.wait(milliseconds: 200)
        }
        source.stop()
        return ear.heard(source.snapshot, at: time.uptime)
    }
}

/// What a listening doctor hears.
struct Heard: Hashable, Sendable {
    var data: DoctorFacts.Data
    var fix: DoctorFacts.Fix

    static func nothing(_ reason: String) -> Heard {
        Heard(data: .notHeard(reason: reason), fix: .unknown(reason: reason))
    }

    init(data: DoctorFacts.Data, fix: DoctorFacts.Fix) {
        self.data = data
        self.fix = fix
    }

    /// From the running agent.
    init(_ status: AgentStatus) {
        let receiver = status.receiver
        if receiver.device == nil {
            data = .notHeard(reason: receiver.reason)
        } else if receiver.acceptedSentences > 0, receiver.bytesPerSecond > 0 {
            data = .sentences(
                accepted: receiver.acceptedSentences,
                detail: "accepted, \(receiver.rejectedSentences) rejected, "
                    + "\(Int(receiver.bytesPerSecond.rounded())) bytes/s")
        } else if receiver.bytesPerSecond > 0 {
            data = .bytesOnly(detail: receiver.reason)
        } else {
            data = .silent(detail: receiver.reason)
        }
        if let age = status.fix.ageSeconds {
            let accuracy = status.fix.accuracyMeters.map { "±\(Int($0.rounded())) m" }
            fix = .fix(ageSeconds: age, detail: accuracy ?? "")
        } else {
            fix = .none(detail: receiver.reason.isEmpty ? "none yet" : receiver.reason)
        }
    }
}

/// Takes in what a source delivers, on the source's thread.
private final class Ear: Sendable {
    let bell = try? WakeEvent()
    private let state: Mutex<State>

    private struct State {
        var filter: FixFilter
        var health: SourceHealth?
    }

    init(rules: FixFilterRules) {
        state = Mutex(State(filter: FixFilter(rules: rules)))
    }

    func take(_ event: SourceEvent) {
        state.withLock { state in
            switch event {
            case .fix(let fix): _ = state.filter.ingest(fix)
            case .health(let health): state.health = health
            default: break
            }
        }
        bell?.signal()
    }

    /// Whether the quality gate has accepted one.
    var hasFix: Bool {
        bell?.clear()
        return state.withLock { $0.filter.lastAccepted != nil }
    }

    func heard(_ snapshot: SerialFixSource.Snapshot, at now: Uptime) -> Heard {
        let (accepted, health) = state.withLock { ($0.filter.lastAccepted, $0.health) }
        let reason = health?.reason ?? ""
        let counters = snapshot.counters
        let data: DoctorFacts.Data =
            if counters.accepted > 0 {
                .sentences(
                    accepted: counters.accepted,
                    detail: "accepted, \(counters.rejected) rejected, while listening")
            } else if counters.bytes > 0 {
                .bytesOnly(detail: reason)
            } else if health?.state == .portBusy || health?.state == .permissionDenied {
                .notHeard(reason: reason)
            } else {
                .silent(detail: reason)
            }
        guard let accepted else { return Heard(data: data, fix: .none(detail: reason)) }
        return Heard(
            data: data,
            fix: .fix(
                ageSeconds: now.seconds(since: accepted.fix.uptime),
                detail: "±\(Int(min(accepted.accuracyMeters, 1e6).rounded())) m"))
    }
}

/// The doctor's own findings are its report; what its parts would log is nobody's business.
struct NoLog: LogSink {
    func write(_ line: LogLine) {}
}
