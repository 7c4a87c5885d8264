import Campaigns
import Delivery
import Geofencing
import Positioning
import Timekeeping
import WireFormat

/// The control loop: the one owner of the pipeline and of the queue.
///
/// Invariants:
/// - A decision and the state that led to it are committed in one transaction before anything else
///   hears of it; there is no suspension point in between.
/// - What is published, uploaded or shown was committed before.
public actor TrackingService {
    private nonisolated let executor: any SerialExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    let time: any Timekeeper
    let log: any LogSink
    let hub: EventHub
    let bootID: BootID
    let settings: TrackingSettings
    let started: Uptime
    /// Told of the work of the control loop and of the writer.
    nonisolated let liveness: Liveness

    var queue: any EventQueue
    var pipeline: TrackingPipeline
    var source = FenceSourceState()
    var receiver = ReceiverState()
    var clock = ClockState()
    var outbox = QueueOutbox()
    /// Nil: nothing is recorded.
    var recorder: DriveRecorder?
    /// Nil: no positions are kept.
    var breadcrumbs: BreadcrumbBuffer?
    /// Nil before the first input and after the last.
    var input: Input?
    private var storage = StorageHealth.durable
    var localFences = LocalFences()
    var checkIn = CheckInState()
    /// Decides who is told what.
    var desk: NotificationDesk
    /// What the fences of server, cache or file have to tell.
    var givenNotices = NoticeSet()
    var notificationCounts = NotificationCounts()
    /// Nil: nothing is left to the next process.
    var snapshots: SnapshotKeeper?
    /// Keys of stored events of which the log has said that they cannot be read.
    var unreadableEvents: Set<Int64> = []
    /// What the storage has not taken yet.
    private var waiting = UncommittedWork()
    /// The state was committed for the last time.
    private var isInputOver = false
    /// Why it did not; nil after a success.
    private var commitFailure: QueueError?
    private var wakeUploader: @Sendable () -> Void = {}
    var requestSync: @Sendable (FenceQuery) -> Void = { _ in }
    private var configureUpload: @Sendable (UploadPolicy) -> Void = { _ in }
    /// Told how the last question for fences ended; nil: it was answered.
    var fencesAsked: @Sendable (FenceFetchFailure?) -> Void = { _ in }

    /// Takes over a queue and restores from it everything that an earlier run left.
    ///
    /// Fences in the cache are monitored at once: no network is needed for that.
    public init(
        queue: sending any EventQueue, settings: TrackingSettings, hub: EventHub,
        time: any Timekeeper, log: any LogSink, executor: any SerialExecutor
    ) {
        self.executor = executor
        self.queue = queue
        self.settings = settings
        self.hub = hub
        self.time = time
        self.log = log
        bootID = time.bootID
        started = time.uptime
        liveness = Liveness(time: time)
        desk = NotificationDesk(book: NotificationBook(), bootID: time.bootID)
        breadcrumbs = settings.breadcrumbGroupSeconds.map(BreadcrumbBuffer.init)
        snapshots = settings.snapshots.map { SnapshotKeeper($0, bootID: time.bootID, log: log) }
        pipeline = TrackingPipeline(
            rules: settings.rules, bootID: bootID,
            syncingFrom: settings.serverURL == nil ? nil : started)
    }

    /// Whom to wake after a commit, and whom to ask for fences.
    func connect(
        wakeUploader: @escaping @Sendable () -> Void,
        configureUpload: @escaping @Sendable (UploadPolicy) -> Void,
        requestSync: @escaping @Sendable (FenceQuery) -> Void,
        fencesAsked: @escaping @Sendable (FenceFetchFailure?) -> Void = { _ in }
    ) {
        self.wakeUploader = wakeUploader
        self.configureUpload = configureUpload
        self.requestSync = requestSync
        self.fencesAsked = fencesAsked
        configureUpload(uploadPolicy)
    }

    /// Restores state and fences; call it once, before the first input.
    public func restore() {
        if let positions = try? queue.positions() { hub.begin(after: positions.last) }
        restoreClock()
        beginRecording()
        restorePipeline()
        restoreNotifications()
        restoreLocalFences()
        restoreFences()
    }

    /// Takes in what the receiver told.
    func take(_ event: SourceEvent) {
        recorder?.record(event, at: time.uptime, utc: utc(of: event))
        switch event {
        case .fix(let fix): take(fix)
        case .health(let health):
            receiver.take(health)
            tellReceiver()
        case .opened:
            pipeline.sourceOpened()
            receiver.sourceOpened()
        case .received(let reception): for fix in reception.fixes { take(fix) }
        case .report: break
        }
    }

    /// Fires what is due by time alone, and lets the queue keep house.
    func tick() {
        let now = time.uptime
        receiver.take(bytes: settings.receiverReport().bytes, at: now)
        tellReceiver()
        let isDue = pipeline.nextDeadline.map { $0 <= now } ?? false
        let output = pipeline.tick(at: now, wallClock: time.wallClock)
        if isDue || !output.transitions.isEmpty { record(.tick, at: now) }
        settle(output)
        liveness.during(.writer, within: 0) { queue.maintain(at: now) }
        if !waiting.isEmpty { commitWaiting() }
        writeBreadcrumbs()
        reportStorage()
        judge()
    }

    /// Commits the state; nothing is taken in afterwards.
    func stopInput() {
        guard !isInputOver else { return }
        isInputOver = true
        input = nil
        liveness.rest(.controlLoop)
        commit([], values: pipelineValues())
        writeBreadcrumbs(always: true)
    }

    /// Stops the input, if that is still to be done, and closes the queue.
    func close() {
        stopInput()
        if !waiting.isEmpty || !outbox.unstoredValues.isEmpty { commit([], values: [:]) }
        queue.close()
        hub.close()
        recorder?.close()
    }

    // MARK: - Fixes

    private func take(_ fix: Fix) {
        let wallClock = time.wallClock
        learnTime(from: fix, wallClock)
        let output = pipeline.ingest(
            ClockCheck.marked(fix, against: wallClock, at: time.uptime), wallClock: wallClock)
        settle(output)
        gather(output)
        guard let judged = output.judged else { return }
        if judged.verdict != .ok {
            record(.filter(verdict: judged.verdict.rawValue), at: fix.uptime)
        }
        receiver.take(judged)
        tellReceiver()
        judge()
        guard hub.wantsFixes else { return }
        for earlier in output.released { hub.publish(.fix(FixReport(earlier, isReleased: true))) }
        hub.publish(.fix(FixReport(judged)))
    }

    /// Tells how the receiver is, if that is news.
    private func tellReceiver() {
        let before = receiver.health.state
        guard
            let health = receiver.news(
                at: time.uptime, expirySeconds: pipeline.filter.expirySeconds)
        else { return }
        if health.state != before {
            let isWell = health.state == .fix
            log.write(
                LogLine(
                    isWell ? .notice : .warning,
                    "receiver \(health.state.rawValue)"
                        + (health.reason.isEmpty ? "" : ": \(health.reason)")))
        }
        hub.publish(.health(health))
    }

    // MARK: - What an input led to

    /// Commits, then tells: events, regions, and whom to ask.
    func settle(_ output: PipelineOutput, values: [StateKey: [UInt8]?] = [:]) {
        for refused in output.refusedFences {
            log.write(LogLine(.warning, "fence \(refused.id) is left out: \(refused.message)"))
        }
        record(output.transitions)
        var values = values
        var drafts = output.drafts
        decideNotifications(&drafts)
        values.merge(notificationValues()) { given, _ in given }
        if output.stateChanged || !drafts.isEmpty || !values.isEmpty {
            values.merge(pipelineValues()) { given, _ in given }
            commit(drafts, values: values)
        } else if output.judged != nil {
            snapshots?.keep(pipeline, at: time.uptime)
        }
        tellRegions(output)
        if let request = output.sync { ask(request) }
    }

    private func commit(_ drafts: [EventDraft], values: [StateKey: [UInt8]?]) {
        let anchor = clock.takeAnchor()
        waiting.add(drafts, values: values, anchor: anchor)
        commitWaiting()
        if anchor != nil { wakeUploader() }
        reportStorage()
    }

    /// Commits everything that waits, in one transaction; what fails is tried again every second.
    private func commitWaiting() {
        do throws(QueueError) {
            let events = try liveness.during(.writer, within: 0) { () throws(QueueError) in
                try queue.commit(lossDrafts() + waiting.drafts, state: stateToCommit)
            }
            outbox.noteStored()
            waiting.committed()
            snapshots?.commitReturned()
            if commitFailure != nil { log.write(LogLine(.notice, "what waited is stored now")) }
            commitFailure = nil
            tell(events)
        } catch {
            if case .unencodable = error, !waiting.drafts.isEmpty {
                log.write(LogLine(.error, "\(error)"))
                commitOneByOne()
                if waiting.drafts.isEmpty { return commitWaiting() }
            }
            guard error != commitFailure else { return }
            commitFailure = error
            log.write(LogLine(.error, "storage: \(error); events wait in memory"))
            hub.publish(.error(code: "storage", message: "\(error)"))
        }
    }

    /// Whether a value need not be written, as it is what the queue holds.
    func isStored(_ value: [UInt8]?, as key: StateKey) -> Bool {
        waiting.isEmpty && stored(key) == value
    }

    private var stateToCommit: StateUpdate {
        var update = waiting.update
        update.values.merge(outbox.unstoredValues) { _, new in new }
        return update
    }

    /// Finds the event that cannot be written, so that it does not hold back the others.
    private func commitOneByOne() {
        while let draft = waiting.drafts.first {
            do throws(QueueError) {
                tell(try queue.commit([draft], state: waiting.claims))
                waiting.committedFirst()
            } catch {
                guard case .unencodable = error else { return }
                waiting.dropFirst()
            }
        }
    }

    /// The events that tell of drafts which gave way.
    private func lossDrafts() -> [EventDraft] {
        let now = pipeline.moment(at: time.uptime)
        let recorder = EventRecorder(bootID: bootID)
        return waiting.lost.sorted { $0.key.rawValue < $1.key.rawValue }.map { kind, count in
            var draft = recorder.draft(
                .queueEvicted, at: now, fix: nil, reason: "uncommitted", wallClock: time.wallClock)
            draft.evicted = EvictedRange(
                kind: kind, count: count, firstSequence: 0, lastSequence: 0)
            return draft
        }
    }

    private func tell(_ events: [Event]) {
        guard !events.isEmpty else { return }
        for event in events { tell(event) }
        wakeUploader()
    }

    private func tell(_ event: Event) {
        let fence = event.content.fenceID.map { " fence \($0)" } ?? ""
        log.write(
            LogLine(
                .notice, "event \(event.position.sequence) \(event.content.kind.rawValue)\(fence)"))
        let wire = WireEvent(event)
        hub.publish(.event(wire))
        show(wire)
    }

    private func pipelineValues() -> [StateKey: [UInt8]?] {
        do {
            var state = pipeline.persistedState
            state.token = snapshots?.announce(pipeline)
            return [.pipeline: try WireCoding.encode(state)]
        } catch {
            log.write(LogLine(.error, "tracker state cannot be written: \(error)"))
            return [:]
        }
    }

    private func reportStorage() {
        let health = queue.health
        guard health.name != storage.name else { return }
        storage = health
        switch health {
        case .durable: log.write(LogLine(.notice, "storage takes writes again"))
        case .storageReadOnly(let reason), .diskFull(let reason):
            log.write(LogLine(.error, "storage \(health.name): \(reason)"))
            hub.publish(.error(code: health.name, message: reason))
        }
    }

    /// Nil where the whole fence set is handed over at the start.
    var syncStart: Uptime? { settings.serverURL == nil ? nil : started }

    var uploadPolicy: UploadPolicy {
        UploadPolicy(
            maxBatch: source.configuration?.uploadMaxBatch ?? settings.uploadMaxBatch,
            intervalSeconds: source.configuration?.uploadIntervalSeconds
                ?? settings.uploadIntervalSeconds,
            backoffCapSeconds: source.configuration?.uploadBackoffCapSeconds
                ?? UploadPolicy.defaultBackoffCapSeconds,
            heartbeatSeconds: settings.heartbeatSeconds)
    }

    func applyUploadPolicy() {
        configureUpload(uploadPolicy)
    }
}
