import ConfigurationFile
import GeofenceAgent
import HTTPTransport
import LinuxSystem
import Timekeeping
import WireFormat

/// Examines a device and leaves no trace on it: with the agent running or stopped, without a
/// network, and on a read-only disk.
///
/// The one thing that it writes is an unnamed file in the state directory, to measure fsync; the
/// kernel removes it with the last descriptor. Every step has a time-out, and disk, network and
/// receiver are looked at side by side, so that all takes less than 15 s.
public struct Doctor: Sendable {
    private let file: String
    private let configuration: AgentConfiguration
    private let refusal: ConfigurationError?
    private let paths: AgentPaths
    /// The unit that starts the agent with the machine.
    var service = ServiceProbe()

    /// `configuration` is what became of reading the file.
    public init(
        file: String, _ configuration: Result<AgentConfiguration, ConfigurationError>
    ) {
        self.file = file
        switch configuration {
        case .success(let value):
            self.configuration = value
            refusal = nil
        case .failure(let error):
            self.configuration = AgentConfiguration()
            refusal = error
        }
        paths = AgentPaths(self.configuration)
    }

    /// Looks at everything. `progress` is told how many parts of `partCount` are done.
    ///
    /// Of a configuration that is refused, what it would have named is not looked at: the defaults in
    /// its place are of no interest.
    public func examine(progress: @escaping @Sendable (Int) -> Void) async -> DoctorReport {
        guard refusal == nil else {
            progress(Self.partCount)
            return withoutConfiguration
        }
        let inquiry = await Self.blocking("status") { [paths] in
            AgentInquiry.status(
                at: paths.socket, milliseconds: Self.statusMilliseconds)
        }
        let status = inquiry.flatMap(Self.status)
        let counter = PartCounter(report: progress)
        async let storage = part(counter) { self.storage() }
        async let server = part(counter) { self.server() }
        async let receiver = part(counter) { self.receiver(status) }
        let (disk, network, port) = await (storage, server, receiver)
        var checks = [DoctorChecks.configuration(configurationFacts)]
        checks.append(DoctorChecks.credential(CredentialProbe.facts(paths.keyFile)))
        checks.append(DoctorChecks.agent(agentFacts(inquiry)))
        if let disk {
            checks += DoctorChecks.storage(disk.storage) + DoctorChecks.queue(disk.queue)
        }
        checks.append(DoctorChecks.clock(clock(status)))
        checks += DoctorChecks.server(network.flatMap { $0 }, reason: noServerReason)
        if let port { checks += DoctorChecks.receiver(port.facts) }
        checks.append(DoctorChecks.watchdog(service.watchdog))
        return DoctorReport(
            permissions: permissions(port?.permission ?? .notTried), checks: checks)
    }

    private var withoutConfiguration: DoctorReport {
        DoctorReport(
            permissions: permissions(.notTried),
            checks: [
                DoctorChecks.configuration(configurationFacts),
                DoctorChecks.credential(CredentialProbe.facts(paths.keyFile)),
                DoctorChecks.clock(clock(nil)),
            ] + DoctorChecks.server(nil, reason: noServerReason) + [
                DoctorChecks.watchdog(service.watchdog)
            ])
    }

    /// The parts that `progress` counts.
    public static let partCount = 3
    private static let statusMilliseconds = 2000

    /// The first part of the examination alone.
    public func permissions() async -> PermissionStatus {
        let found = await Self.blocking("receiver") {
            let inquiry = AgentInquiry.status(
                at: paths.socket, milliseconds: Self.statusMilliseconds)
            return receiver(Self.status(inquiry)).permission
        }
        return permissions(found ?? .notTried)
    }

    // MARK: - Parts

    private func storage() -> (storage: DoctorFacts.Storage, queue: DoctorFacts.Queue) {
        let probe = StorageProbe(directory: paths.stateDirectory)
        return (probe.storage(), probe.queue())
    }

    private func receiver(
        _ status: AgentStatus?
    ) -> (facts: DoctorFacts.Receiver, permission: PermissionFacts.Receiver) {
        ReceiverProbe(
            configuration: configuration, stateDirectory: paths.stateDirectory, status: status
        ).examine()
    }

    private func server() -> DoctorFacts.Server? {
        guard let server = configuration.server, let url = try? ServerURL(server.url) else {
            return nil
        }
        let key = paths.keyFile.flatMap { try? APIKey.read($0) }
        let id = try? DeviceIdentity.make(configuration.device, machine: MachineIdentity())
        let settings = TransportSettings(
            server: url, apiKey: key ?? "", deviceID: id ?? "doctor",
            userID: configuration.device.userID, authorityFile: server.caFile,
            clientCertificateFile: server.clientCertificate, clientKeyFile: server.clientKey,
            version: ProjectVersion.current, architecture: Architecture.name)
        return ServerProbe(settings: settings, hasKey: key != nil).examine()
    }

    private var noServerReason: String {
        refusal == nil ? "no server is configured" : "the configuration is refused"
    }

    // MARK: - Facts

    private var configurationFacts: DoctorFacts.Configuration {
        if let refusal { return .refused(lines: refusal.problems.map(\.description)) }
        let problems = ConfigurationFiles.problems(configuration, paths)
            // The key has a check of its own.
            .filter { $0.keyPath != "server.key_file" }
        return .accepted(file: file, problems: problems.map { "\($0.keyPath) \($0.message)" })
    }

    private func agentFacts(_ inquiry: AgentInquiry.Answer?) -> DoctorFacts.Agent {
        switch inquiry {
        case .running(let status):
            .running(
                DoctorFacts.AgentSummary(
                    version: status.version, runningSeconds: status.runningSeconds,
                    clockOffsetSeconds: status.clock.offsetSeconds,
                    memoryReason: status.memoryReason))
        case .stopped: .stopped(socket: paths.socket)
        case .forbidden: .forbidden(socket: paths.socket)
        case .unreachable(let reason): .unreachable(socket: paths.socket, reason: reason)
        case nil: .unreachable(socket: paths.socket, reason: "no thread to ask it with")
        }
    }

    private func clock(_ status: AgentStatus?) -> DoctorFacts.Clock {
        let wall = SystemTimekeeper().wallClock
        let name = (try? FolderListing.names(in: "/sys/class/rtc"))?.first
        return DoctorFacts.Clock(
            time: wall.time.rfc3339,
            isBeforeRelease: wall.time.date.daysSince1970
                < ProjectVersion.dateFloor.daysSince1970,
            isSynchronised: wall.isSynchronised,
            gnssOffsetSeconds: status?.clock.offsetSeconds, hardwareClock: name)
    }

    /// The status with what became of the receiver.
    func permissions(_ receiver: PermissionFacts.Receiver) -> PermissionStatus {
        PermissionStatus(
            PermissionFacts(
                receiver: receiver, service: service.service,
                stateDirectory: Self.place(of: paths.stateDirectory),
                credential: CredentialProbe.place(paths.keyFile)))
    }

    private static func place(of directory: String) -> PermissionFacts.Place {
        do throws(SystemError) {
            let found = try FileAccess.of(directory)
            return PermissionFacts.Place(path: directory, problem: found.writeRefusal)
        } catch {
            return PermissionFacts.Place(path: directory, problem: error.reason)
        }
    }

    private static func status(_ answer: AgentInquiry.Answer) -> AgentStatus? {
        if case .running(let status) = answer { status } else { nil }
    }

    // MARK: - Threads

    private func part<Value: Sendable>(
        _ counter: PartCounter, _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        let value = await Self.blocking("doctor", work)
        counter.countOne()
        return value
    }

    /// Runs what blocks on a thread of its own; nil where the system has none left.
    private static func blocking<Value: Sendable>(
        _ name: String, _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            do throws(SystemError) {
                _ = try DedicatedThread(name: name) { continuation.resume(returning: work()) }
            } catch {
                continuation.resume(returning: nil)
            }
        }
    }
}
