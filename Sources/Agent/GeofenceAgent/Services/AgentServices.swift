import Delivery
import Geofencing
import Positioning
import Timekeeping
import WireFormat

/// The services of a running agent, wired to each other; one task group runs them all.
public struct AgentServices: Sendable {
    public let tracking: TrackingService
    public let hub: EventHub
    private let receiver: any FixSource
    private let time: any Timekeeper
    private let upload: UploadService?
    private let sync: FenceSyncService?
    private let thread: any ControlThread
    private let serviceThread: any ServiceThread
    /// Whether the device is told to stay; nil: nobody tells.
    private let hints: AsyncStream<Bool>?

    /// What the agent needs of a server; nil in standalone mode.
    public struct ServerSide: Sendable {
        public var sender: any ServerSender
        public var fences: any FenceSource
        /// A thread for uploads.
        public var uploadExecutor: any SerialExecutor
        /// A thread for questions for fences, which must not wait behind a hanging upload.
        public var syncExecutor: any SerialExecutor

        public init(
            sender: any ServerSender, fences: any FenceSource, uploadExecutor: any SerialExecutor,
            syncExecutor: any SerialExecutor
        ) {
            self.sender = sender
            self.fences = fences
            self.uploadExecutor = uploadExecutor
            self.syncExecutor = syncExecutor
        }
    }

    /// `thread` is that of `tracking`; `serviceThread` lives longer than the services.
    public init(
        tracking: TrackingService, thread: any ControlThread, serviceThread: any ServiceThread,
        hub: EventHub, receiver: any FixSource, hints: AsyncStream<Bool>? = nil,
        server: ServerSide?,
        policy: UploadPolicy, time: any Timekeeper, log: any LogSink
    ) {
        self.tracking = tracking
        self.thread = thread
        self.serviceThread = serviceThread
        self.hub = hub
        self.receiver = receiver
        self.hints = hints
        self.time = time
        upload = server.map {
            UploadService(
                outbox: tracking, sender: $0.sender, policy: policy, time: time, log: log,
                executor: $0.uploadExecutor, liveness: tracking.liveness, thread: serviceThread)
        }
        sync = server.map {
            FenceSyncService(
                source: $0.fences, executor: $0.syncExecutor, liveness: tracking.liveness)
        }
    }

    /// Answers the command line.
    public var responder: ControlResponder {
        ControlResponder(tracking: tracking, upload: upload, hub: hub, thread: serviceThread)
    }

    /// What `status` answers; it waits for the control loop.
    public func status() async -> AgentStatus {
        let report = await upload?.status
        return await tracking.status(upload: report)
    }

    /// What is monitored once the server has answered, cannot be reached, or the time is over.
    public func registeredFences(waitingSeconds: Double) async -> RegisteredFences {
        let end = time.uptime.milliseconds + Int64(max(0, min(waitingSeconds, 600)) * 1000)
        while !Task.isCancelled, time.uptime.milliseconds < end,
            await !tracking.isFirstSyncOver
        {
            await serviceThread.sleep(milliseconds: 50)
        }
        return await tracking.registeredFences
    }

    /// Some of the stored events beyond the given sequence numbers of each queue epoch, oldest
    /// first; empty: there are no more. Events of other epochs come when they are newer.
    public func storedEvents(beyond told: [String: Int64]) async throws -> [WireEvent] {
        let current = try await tracking.positions().current
        var reader = StoredEvents(tracking)
        reader.startWithEarlierEpochs(then: told[current] ?? 0)
        while case let page = try await reader.next(limit: .max), !page.isEmpty {
            let news = page.filter { event in
                event.queueEpoch == current
                    ? event.sequence > told[current] ?? 0
                    : told[event.queueEpoch].map { event.sequence > $0 } ?? false
            }
            if !news.isEmpty { return news }
        }
        return []
    }

    /// Works until the task is cancelled, then stops in the order of the line: input, decisions,
    /// disk. What an earlier run left was restored before.
    public func run() async {
        await connect()
        await tracking.take(from: receiver, on: thread)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await waitForCancellation()
                // What was decided is on the disk while a last request may still run.
                receiver.stop()
                await tracking.stopInput()
            }
            if let upload { group.addTask { await upload.run() } }
            if let hints {
                group.addTask { for await hint in hints { await tracking.take(hint: hint) } }
            }
            if let sync {
                group.addTask { await sync.run { await tracking.take($0, for: $1, notices: $2) } }
            }
        }
        await tracking.close()
    }

    /// The network changed, or the machine was suspended.
    public func networkChanged(hasRoute: Bool) async {
        await upload?.networkChanged(hasRoute: hasRoute)
        await tracking.networkChanged(hasRoute: hasRoute)
    }

    private func connect() async {
        let upload = upload
        let sync = sync
        let thread = serviceThread
        await tracking.connect(
            wakeUploader: { upload?.wake() },
            configureUpload: { policy in
                Task(executorPreference: thread) { await upload?.configure(policy) }
            },
            requestSync: { query in sync?.ask(query) },
            fencesAsked: { failure in
                Task(executorPreference: thread) { await upload?.fencesAsked(failure) }
            })
    }

    /// Without a server there is no other task.
    private func waitForCancellation() async {
        let (never, continuation) = AsyncStream<Never>.makeStream()
        for await _ in never {}
        continuation.finish()
    }

    /// Parts whose work should have been over `patienceSeconds` ago; see `LivenessGate`.
    public func stuckParts(patienceSeconds: Double) -> [AgentPart] {
        tracking.liveness.stuck(patienceSeconds: patienceSeconds)
    }
}
