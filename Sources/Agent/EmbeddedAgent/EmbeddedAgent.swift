import AgentStorage
import ConfigurationFile
import Delivery
import GeofenceAgent
import Geofencing
import HTTPTransport
import LinuxSystem
import Synchronization
import Timekeeping
import WireFormat

/// The agent as a library: made from a configuration, started, listened to, stopped.
public final class EmbeddedAgent: Sendable {
    public let configuration: AgentConfiguration
    public let paths: AgentPaths
    let log: any LogSink
    let hub = EventHub()
    /// The unit that starts this program with the machine.
    let service: ServiceProbe
    private let time: any Timekeeper
    private let running = Mutex<Running?>(nil)

    /// What exists between start and stop.
    private struct Running {
        var task: Task<Void, Never>
        var taskThread: TaskThread
        var services: AgentServices
        var control: ControlSocket
        /// Nil without a server.
        var connections: Connections?
        var recording: AgentRecording
        /// Nil where nobody tells whether the device stays.
        var hint: StationaryHintSource?
        /// Nil without a command.
        var command: CommandSink?
        /// Nil where the network does not matter: without a server, and with one on this machine.
        var network: NetworkMonitor?
    }

    /// One for uploads and one for fences, which must not wait behind a hanging upload.
    private struct Connections {
        var upload: HTTPConnection
        var sync: HTTPConnection
    }

    /// Configures an agent; nothing is opened before a start. `unit` is the systemd unit of the
    /// program that embeds the agent; without a `log`, lines go to standard error.
    public convenience init(
        configuration: AgentConfiguration, log: (any LogSink)? = nil,
        unit: String = ServiceProbe.defaultUnit
    ) {
        self.init(
            configuration: configuration,
            log: log ?? JournalLogSink(threshold: configuration.logLevel.level),
            service: ServiceProbe(unit: unit))
    }

    /// The same from a file; docs/configuration.md says what may stand in it.
    public convenience init(
        configurationFile: String, log: (any LogSink)? = nil,
        unit: String = ServiceProbe.defaultUnit
    ) throws(StartError) {
        let configuration: AgentConfiguration
        do throws(ConfigurationError) {
            configuration = try ConfigurationFile(path: configurationFile)
                .decode(AgentConfiguration.self).value
        } catch {
            throw StartError(.configuration, error.description)
        }
        self.init(configuration: configuration, log: log, unit: unit)
    }

    init(configuration: AgentConfiguration, log: any LogSink, service: ServiceProbe) {
        self.configuration = configuration
        self.log = log
        self.service = service
        time =
            configuration.receiver.speed == 1
            ? SystemTimekeeper() : HurriedTimekeeper(factor: configuration.receiver.speed)
        paths = AgentPaths(configuration)
    }

    /// Starts, if the permission is there, and answers what is monitored. Else throws what to do
    /// next, with the `PermissionStatus`.
    ///
    /// The cached fences are monitored at once, also without fix and network; the server gets
    /// `serverPatienceSeconds` to answer before the cached ones are the answer. A program that runs
    /// only while somebody uses it asks for `.grantedWhenInUse`.
    @discardableResult
    public func start(
        requiring level: PermissionStatus.Level = .grantedAlways,
        serverPatienceSeconds: Double = 5
    ) async throws(StartError) -> RegisteredFences {
        let permission = await requestPermissions()
        guard permission.status.rank >= level.rank else { throw StartError(permission) }
        try await startService()
        guard let services else { throw StartError(.environment, "stopped while it started") }
        return await services.registeredFences(waitingSeconds: serverPatienceSeconds)
    }

    /// Everything that happens from now on, until the agent stops.
    public func listen() -> AsyncStream<LocalEvent> { hub.listen() }

    /// Reads everything that the configuration points to, as this user, and opens nothing that a
    /// running agent holds. Refuses also files without which a start goes on.
    public func check() throws(StartError) {
        let deviceID = try DeviceIdentity.make(configuration.device, machine: MachineIdentity())
        try checkStateDirectory()
        _ = try TransportSettings(configuration, paths, deviceID: deviceID)
        _ = try trackingSettings(deviceID, uploadPolicy)
        let problems = ConfigurationFiles.partProblems(configuration)
        guard problems.isEmpty else {
            throw StartError(
                .configuration, problems.map(\.words).joined(separator: "; "))
        }
    }

    /// Opens the state, restores what an earlier run left, and begins to work, as the service does:
    /// receiver, network and fix may come later. Returns once the queue is open and the cached
    /// fences are monitored.
    public func startService() async throws(StartError) {
        guard running.withLock({ $0 == nil }) else {
            throw StartError(.environment, "this agent is running already")
        }
        let machine = MachineIdentity()
        let deviceID = try DeviceIdentity.make(configuration.device, machine: machine)
        let transport = try TransportSettings(configuration, paths, deviceID: deviceID)
        try checkStateDirectory()
        let queue = try SQLiteEventQueue.opened(
            configuration, paths, deviceID: deviceID, machine: machine, time: time, log: log)
        warnOfParts()
        let receiver = ReceiverSlot()
        var settings = try trackingSettings(deviceID, uploadPolicy)
        settings.receiverReport = { receiver.report }
        settings.snapshots = RuntimeSnapshots(directory: paths.runtimeDirectory)
        settings.heartbeatSeconds = uploadPolicy.heartbeatSeconds
        let command = try commandSink()
        if let command { settings.notifications.sinks = [command] }
        let certificates = settings.certificateTime
        let files = FilesThread()
        let recording = AgentRecording(configuration, paths, on: files, log: log)
        settings.recording = recording.plan
        let connections = transport.map { settings in
            func connection() -> HTTPConnection {
                HTTPConnection(settings: settings, timekeeper: time) { [time] in
                    let now = certificates.now(time.wallClock, at: time.uptime)
                    return VerificationClock(time: now.time, isTrusted: now.isTrusted)
                }
            }
            return Connections(upload: connection(), sync: connection())
        }
        do {
            let taskThread = try TaskThread.shared()
            let thread = try ThreadExecutor(name: "tracking")
            let tracking = TrackingService(
                queue: queue, settings: settings, hub: hub, time: time, log: log,
                executor: thread)
            let server = try connections.map { connections throws(SystemError) in
                AgentServices.ServerSide(
                    sender: HTTPEventSender(connections.upload, timekeeper: time),
                    fences: HTTPFenceSource(connections.sync),
                    uploadExecutor: try ThreadExecutor(name: "upload"),
                    syncExecutor: try ThreadExecutor(name: "sync"))
            }
            await tracking.restore()
            let source = receiver.fill(
                configuration, dateFloor: await tracking.dateFloor(),
                lastTrusted: await tracking.lastTrusted(), stateDirectory: paths.stateDirectory,
                time: time, log: log)
            let hint =
                configuration.stationaryHint == .none
                ? nil
                : StationaryHintSource(
                    configuration.stationaryHint, on: try files.loop(), log: log)
            let services = AgentServices(
                tracking: tracking, thread: thread, serviceThread: taskThread, hub: hub,
                receiver: source, hints: hint?.hints, server: server, policy: uploadPolicy,
                time: time, log: log)
            let control = try ControlSocket(
                path: paths.socket, responder: services.responder, tasks: taskThread)
            let task = Task(executorPreference: taskThread) { await services.run() }
            running.withLock {
                $0 = Running(
                    task: task, taskThread: taskThread, services: services, control: control,
                    connections: connections, recording: recording, hint: hint, command: command,
                    network: network(services, connections, taskThread))
            }
        } catch {
            recording.close()
            command?.close()
            throw error as? StartError ?? StartError(.environment, "\(error)")
        }
    }

    /// Stops input, commits, gives a running upload a few seconds, and closes the queue. Returns when
    /// everything is on disk, at most six seconds later. Without a start it does nothing.
    public func stop() async {
        guard let running = running.withLock({ $0.take() }) else { return }
        running.network?.close()
        running.control.stop()
        running.hint?.close()
        running.task.cancel()
        // An answer with fences is of no use any more.
        running.connections?.sync.stop()
        let closing = running.command.flatMap { command in
            try? DedicatedThread(name: "closing") { command.close() }
        }
        let patience = running.taskThread.perform(afterMilliseconds: Self.patienceMilliseconds) {
            running.connections?.upload.stop()
        }
        await running.task.value
        running.recording.close()
        // Begun at the start, beside the upload; where no thread could be had, it is done now.
        if let closing { closing.join() } else { running.command?.close() }
        running.taskThread.cancel(patience)
    }

    /// How the agent is doing; nil while it does not run. It waits for the control loop.
    public func status() async -> AgentStatus? {
        await services?.status()
    }

    /// Parts whose work should have been over `patienceSeconds` ago; empty while nothing runs. It
    /// waits for nothing.
    public func stuckParts(patienceSeconds: Double) -> [AgentPart] {
        services?.stuckParts(patienceSeconds: patienceSeconds) ?? []
    }

    private func network(
        _ services: AgentServices, _ connections: Connections?, _ tasks: TaskThread
    ) -> NetworkMonitor? {
        guard let connections, !connections.upload.settings.server.isLoopback else { return nil }
        return NetworkMonitor(on: tasks.loop, log: log) { news in
            connections.upload.networkChanged()
            connections.sync.networkChanged()
            Task(executorPreference: tasks) {
                await services.networkChanged(hasRoute: news.hasRoute)
            }
        }
    }

    /// Nil while the agent does not run.
    var services: AgentServices? { running.withLock { $0?.services } }

    private var uploadPolicy: UploadPolicy {
        UploadPolicy(
            maxBatch: configuration.upload.maxBatch,
            intervalSeconds: Double(configuration.upload.intervalSeconds),
            heartbeatSeconds: Double(configuration.heartbeatSeconds))
    }

    /// A mistyped path would leave the queue in memory, and everything behind that is on disk.
    private func checkStateDirectory() throws(StartError) {
        guard let problem = StateDirectory.problem(paths.stateDirectory) else { return }
        throw StartError(.configuration, "state_directory \(paths.stateDirectory): \(problem)")
    }

    /// An agent that was told to start keeps what happens, also where it cannot send it.
    private func warnOfParts() {
        for problem in ConfigurationFiles.partProblems(configuration) {
            let loss =
                problem.keyPath == "notify.command"
                ? "no command is run" : "events are kept, and none can be sent"
            log.write(LogLine(.error, "\(problem.words): \(loss) until this is mended"))
        }
    }

    private func trackingSettings(
        _ deviceID: String, _ policy: UploadPolicy
    ) throws(StartError) -> TrackingSettings {
        var settings = TrackingSettings(
            rules: PipelineRules(configuration), uploadMaxBatch: policy.maxBatch,
            uploadIntervalSeconds: policy.intervalSeconds, dateFloor: ProjectVersion.dateFloor,
            fixedFences: try configuration.fencesFile.map(FenceFile.read),
            serverURL: configuration.server?.url, deviceID: deviceID)
        settings.notifications = NotificationSettings(zones: ZoneinfoFolder())
        settings.notifications.burstSeconds = configuration.notify.burstSeconds
        if configuration.breadcrumbs.isEnabled {
            settings.breadcrumbGroupSeconds = Double(configuration.breadcrumbs.groupSeconds)
        }
        if let path = configuration.fencesFile {
            settings.notifications.fixed = try FenceFile.notices(path)
        }
        return settings
    }

    private func commandSink() throws(StartError) -> CommandSink? {
        do throws(SystemError) {
            return try configuration.notify.command.map { command throws(SystemError) in
                try CommandSink(command, log: log)
            }
        } catch {
            throw StartError(.environment, "\(error)")
        }
    }

    /// For an upload that is under way when the agent stops. The transfer ends within a second after
    /// that, and then the queue is closed: six seconds in all.
    private static let patienceMilliseconds = 4500
}
