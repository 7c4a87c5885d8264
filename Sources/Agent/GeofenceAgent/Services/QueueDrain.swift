import Campaigns
import Delivery
import Geofencing
import Timekeeping
import WireFormat

/// Uploads what a queue holds while no agent runs. Blocks; one thread calls it.
///
/// Once the disk refuses writes, it sends nothing more: memory holds a part of the queue only.
public struct QueueDrain {
    private let queue: any EventQueue
    private let sender: any EventSender
    private let time: any Timekeeper
    private let isWanted: () -> Bool
    private let sleep: (_ milliseconds: Int64) -> Void
    private var planner: UploadPlanner
    private var outbox = QueueOutbox()
    /// Takes over what the server says of notifications; nil: what was shown cannot be read, and the
    /// next agent says so.
    private var desk: NotificationDesk?
    /// As they were last on the disk.
    private var counts = QueueCounts()
    /// Requests that may fail one after the other before the drain gives up.
    private static let failureLimit = 3

    /// A longer wait that no failure has caused is for events that the server wants later, or has
    /// refused, milliseconds.
    private static let longestPause: Int64 = 10_000

    /// `isWanted` tells whether an agent waits for the queue; `sleep` passes the time between two
    /// tries, and may end early.
    public init(
        _ queue: any EventQueue, sender: any EventSender, maxBatch: Int, time: any Timekeeper,
        isWanted: @escaping () -> Bool, sleep: @escaping (_ milliseconds: Int64) -> Void
    ) {
        self.queue = queue
        self.sender = sender
        self.time = time
        self.isWanted = isWanted
        self.sleep = sleep
        planner = UploadPlanner(
            policy: UploadPolicy(maxBatch: maxBatch, intervalSeconds: 0),
            batchPrefix: UploadService.runName())
        outbox.restore(from: queue)
        desk = NotificationDesk(storedIn: queue, bootID: time.bootID)
    }

    /// The latest time that was trusted on this machine, for judging certificates; nil: none.
    public static func lastGoodTime(in queue: any EventQueue) -> UTCTime? {
        ((try? queue.state(.lastGoodTime)) ?? nil).flatMap {
            UTCTime(rfc3339: String(decoding: $0, as: UTF8.self))
        }
    }

    /// Sends until nothing is left, the server takes nothing more, an agent wants the queue, or the
    /// time is over. A request that is under way is not cut off here.
    public mutating func run(until deadline: Uptime) -> FlushReport {
        counts = queue.counts
        let start = counts
        let end: FlushReport.End
        do throws(QueueError) {
            end = try work(until: deadline)
            // That anchors have arrived is written with the next commit, which there is none of here.
            let values = outbox.unstoredValues
            if !values.isEmpty { try queue.settle([], state: StateUpdate(values: values)) }
        } catch {
            return report(.storage, since: start, reason: "\(error)")
        }
        return report(
            end, since: start,
            reason: end == .empty ? nil : planner.waitingReason ?? planner.latenessReason)
    }

    private mutating func work(until deadline: Uptime) throws(QueueError) -> FlushReport.End {
        while queue.health == .durable {
            let now = time.uptime
            let pending = queue.counts.pending
            planner.useKeys(ofEpoch: queue.epoch)
            let action = planner.step(
                at: now, pendingCount: pending, owesAnchors: outbox.owesAnchors(from: queue))
            switch action {
            case .idle, .heartbeat: return .empty
            case _ where isWanted(): return .handedOver
            case _ where now >= deadline: return .timeout
            case .wait(let until):
                let hasFailed = planner.connectivity != .online
                if hasFailed, planner.isPaused || planner.failures >= Self.failureLimit {
                    return .failed
                }
                let isLong = until.milliseconds - now.milliseconds > Self.longestPause
                guard until <= deadline, hasFailed || !isLong else {
                    return pending == 0 ? .empty : hasFailed ? .failed : .deferred
                }
                sleep(until.milliseconds - now.milliseconds)
            case .send(let plan):
                guard let batch = try outbox.batch(for: plan, from: queue) else {
                    planner.foundNothing(at: time.uptime)
                    continue
                }
                if try !send(batch) { return isWanted() ? .handedOver : .timeout }
            case .sendAnchors(let batchID):
                let batch = outbox.anchorBatch(batchID, from: queue)
                if try !send(batch) { return isWanted() ? .handedOver : .timeout }
            }
        }
        return .storage
    }

    /// False where the request was cut off from this side.
    private mutating func send(_ batch: OutgoingBatch) throws(QueueError) -> Bool {
        let outcome = sender.send(batch)
        let conclusion = planner.finished(
            outcome, of: batch, at: time.uptime, random: .random(in: 0..<1))
        try outbox.conclude(
            conclusion, of: batch, in: queue, with: take(conclusion.verdicts, of: batch))
        noteCounts()
        return outcome != .cancelled
    }

    /// What is to be written with the receipts that the verdicts came with.
    private mutating func take(
        _ verdicts: [Int64: NotificationVerdict], of batch: OutgoingBatch
    ) -> [StateKey: [UInt8]?] {
        guard !verdicts.isEmpty, var next = desk else { return [:] }
        let wall = time.wallClock
        let now = Moment(uptime: time.uptime, utc: wall.isSynchronised ? wall.time : nil)
        _ = next.take(verdicts, of: batch, bootID: time.bootID, at: now)
        guard next.isStateChanged, let bytes = try? WireCoding.encode(next.state) else {
            return [:]
        }
        next.markPersisted()
        desk = next
        return [.cooldowns: bytes]
    }

    private mutating func noteCounts() {
        if queue.health == .durable { counts = queue.counts }
    }

    private mutating func report(
        _ end: FlushReport.End, since start: QueueCounts, reason: String?
    ) -> FlushReport {
        noteCounts()
        let problem = queue.health.problem
        return FlushReport(
            agent: .stopped, end: problem == nil ? end : .storage,
            acknowledged: counts.acknowledged - start.acknowledged,
            dead: counts.dead - start.dead, pending: counts.pending,
            server: planner.connectivity?.rawValue ?? "unknown", reason: problem ?? reason)
    }
}
