import Delivery
import Geofencing
import Timekeeping

/// Takes events from the queue to the server, as the planner says, one request at a time.
actor UploadService {
    private var planner: UploadPlanner
    private let outbox: any Outbox
    private let sender: any ServerSender
    private let worker: BlockingWorker
    private let time: any Timekeeper
    private let log: any LogSink
    private let liveness: Liveness
    private let thread: any ServiceThread
    private let alarm: Alarm
    private var checkedAt: Uptime?
    /// What the journal was told last.
    private var reported: ConnectivityState?
    /// Requests that ended since the start.
    private var requestCount = 0
    /// Nothing goes before then; nil: something goes now.
    private var waitsUntil: Uptime?

    init(
        outbox: any Outbox, sender: any ServerSender, policy: UploadPolicy,
        time: any Timekeeper, log: any LogSink, executor: any SerialExecutor, liveness: Liveness,
        thread: any ServiceThread
    ) {
        self.thread = thread
        alarm = Alarm(on: thread)
        self.outbox = outbox
        self.sender = sender
        self.time = time
        self.log = log
        self.liveness = liveness
        worker = BlockingWorker(executor: executor)
        planner = UploadPlanner(
            policy: policy, batchPrefix: Self.runName(), phase: .random(in: 0..<1))
    }

    /// Works until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            liveness.begin(.uploader, within: Self.longestRoundSeconds)
            let epoch = await outbox.epoch()
            let pending = await outbox.pendingCount()
            let owesAnchors = await outbox.owesAnchors()
            planner.useKeys(ofEpoch: epoch)
            let now = time.uptime
            switch planner.step(at: now, pendingCount: pending, owesAnchors: owesAnchors) {
            case .idle:
                waitsUntil = nil
                await alarm.wait(milliseconds: Self.idleMilliseconds)
            case .wait(let until):
                waitsUntil = until
                await alarm.wait(
                    milliseconds: min(until.milliseconds - now.milliseconds, Self.idleMilliseconds))
            case .send(let plan):
                waitsUntil = nil
                await send(plan)
            case .sendAnchors(let batchID):
                waitsUntil = nil
                await send(await outbox.anchorBatch(batchID))
            case .heartbeat:
                await sendHeartbeat()
            }
        }
        liveness.rest(.uploader)
    }

    /// Something was committed: look again.
    nonisolated func wake() {
        alarm.ring()
    }

    /// New numbers from the server.
    func configure(_ policy: UploadPolicy) {
        planner.configure(policy)
        alarm.ring()
    }

    /// The network changed; `hasRoute` tells whether there is a default route now.
    func networkChanged(hasRoute: Bool) {
        planner.networkChanged(hasRoute: hasRoute, at: time.uptime, random: .random(in: 0..<1))
        alarm.ring()
    }

    /// How a question for fences ended: what the server thinks of this device holds for uploads, too.
    func fencesAsked(_ failure: FenceFetchFailure?) {
        switch failure?.kind {
        case .authentication?:
            planner.refusedElsewhere(failure?.message ?? "", at: time.uptime)
        case nil: planner.acceptedElsewhere()
        default: return
        }
        report()
        alarm.ring()
    }

    /// A person asks for an upload now.
    func flush() {
        planner.flush()
        waitsUntil = nil
        alarm.ring()
    }

    /// How the server was found last.
    var status: UploadStatus {
        UploadStatus(
            connectivity: planner.connectivity, reason: planner.failureReason,
            waitingReason: planner.waitingReason ?? planner.latenessReason,
            deferralReason: planner.deferralReason,
            failures: planner.failures, checkedAt: checkedAt, lastReceipt: planner.lastSuccess,
            requestCount: requestCount, waitsUntil: waitsUntil)
    }

    private func send(_ plan: BatchPlan) async {
        guard let batch = await outbox.batch(for: plan) else {
            planner.foundNothing(at: time.uptime)
            return
        }
        await send(batch)
    }

    private func send(_ batch: OutgoingBatch) async {
        let before = planner.connectivity
        let sender = sender
        let outcome = await worker.run { sender.send(batch) }
        let conclusion = planner.finished(
            outcome, of: batch, at: time.uptime, random: .random(in: 0..<1))
        checkedAt = time.uptime
        requestCount += 1
        let isWritten = await outbox.conclude(conclusion, of: batch)
        await told(before)
        // What has a receipt that cannot be written would be sent again at once, and again.
        if !isWritten { await thread.sleep(milliseconds: Self.storagePauseMilliseconds) }
    }

    private func sendHeartbeat() async {
        let before = planner.connectivity
        let sender = sender
        let body = await outbox.heartbeat()
        let outcome = await worker.run { sender.sendHeartbeat(body) }
        if case .refused(let refusal) = outcome {
            log.write(LogLine(.warning, "the server refuses a heartbeat: \(refusal.words)"))
        }
        let conclusion = planner.finished(
            heartbeat: outcome, at: time.uptime, random: .random(in: 0..<1))
        checkedAt = time.uptime
        requestCount += 1
        _ = await outbox.conclude(conclusion, of: nil)
        await told(before)
    }

    /// What the server thinks of this device holds for questions for fences, too.
    private func told(_ before: ConnectivityState?) async {
        report()
        if before == .authenticationFailed || planner.connectivity == .authenticationFailed {
            await outbox.uploadsPaused(until: planner.refusedUntil)
        }
    }

    /// One line when the server is found in another state than was told last, not one for each try.
    private func report() {
        guard let state = planner.connectivity, state != reported else { return }
        reported = state
        let reason = planner.failureReason.map { ": \($0)" } ?? ""
        let level: LogLevel = state == .online ? .notice : .warning
        log.write(LogLine(level, "server \(state.rawValue)\(reason)"))
    }

    /// Batch ids are unique among the runs of a device.
    static func runName() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// How long the uploader sleeps at most, so that a missed wake costs a minute and no more.
    private static let idleMilliseconds: Int64 = 60_000
    /// From one look at the queue to the next at most: the sleep, or a request (30 s) and the pause
    /// after it. A server that does not answer takes its 30 s and no more.
    private static let longestRoundSeconds = 60.0
    /// After a receipt that the storage did not take.
    private static let storagePauseMilliseconds: Int64 = 10_000
}

/// What the uploader needs of a connection.
public typealias ServerSender = EventSender & HeartbeatSender

/// Where the uploader takes batches from and brings receipts to.
protocol Outbox: Sendable {
    /// Of the queue that gives the events their keys now.
    func epoch() async -> String
    func pendingCount() async -> Int64
    /// Whether the server has events that a clock anchor would give their time.
    func owesAnchors() async -> Bool
    /// Nil where nothing fits the plan.
    func batch(for plan: BatchPlan) async -> OutgoingBatch?
    /// The clock anchors without events.
    func anchorBatch(_ batchID: String) async -> OutgoingBatch
    /// False when the storage did not take the settlements; the events are sent again. Nil: the
    /// request was no batch.
    func conclude(_ conclusion: UploadConclusion, of batch: OutgoingBatch?) async -> Bool
    /// How the device is now, a JSON object.
    func heartbeat() async -> [UInt8]
    /// The server does not know this device, and is asked again then; nil: it does.
    func uploadsPaused(until time: Uptime?) async
}
