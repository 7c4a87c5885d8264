import Delivery
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import GeofenceAgent

/// A server that puts off for a day what comes from one epoch, and takes all else.
private final class DeferringServer: ServerSender {
    private let epoch: String
    private let batches = Mutex<[[QueuePosition]]>([])

    init(deferring epoch: String) { self.epoch = epoch }

    var sent: [[QueuePosition]] { batches.withLock { $0 } }

    func send(_ batch: OutgoingBatch) -> SendOutcome {
        batches.withLock { $0.append(batch.events.map(\.position)) }
        let results = batch.events.map { event in
            let isOld = event.position.epoch == epoch
            let status: Receipt.Status =
                isOld ? .deferred(retryAfterSeconds: 86_400) : .accepted
            return (event.clientEventID, Receipt.Result(status))
        }
        return .receipt(Receipt(results: Dictionary(uniqueKeysWithValues: results)))
    }

    func sendHeartbeat(_ body: [UInt8]) -> HeartbeatOutcome { .cancelled }
}

/// An outbox over a queue that can be replaced.
private actor ReplaceableOutbox: Outbox {
    private var queue: InMemoryEventQueue
    private let outbox = QueueOutbox()

    init(epoch: String, events: Int) throws {
        queue = InMemoryEventQueue(epoch: epoch)
        _ = try queue.commit(SampleEvents.drafts(events), state: .none)
    }

    func replace(epoch: String, events: Int) throws {
        queue = InMemoryEventQueue(epoch: epoch)
        _ = try queue.commit(SampleEvents.drafts(events), state: .none)
    }

    func epoch() -> String { queue.epoch }
    func pendingCount() -> Int64 { queue.counts.pending }
    func owesAnchors() -> Bool { false }
    func batch(for plan: BatchPlan) -> OutgoingBatch? { try? outbox.batch(for: plan, from: queue) }
    func anchorBatch(_ batchID: String) -> OutgoingBatch {
        outbox.anchorBatch(batchID, from: queue)
    }

    func conclude(_ conclusion: UploadConclusion, of batch: OutgoingBatch?) -> Bool {
        (try? queue.settle(conclusion.settlements)) != nil
    }

    func heartbeat() -> [UInt8] { [] }
    func uploadsPaused(until time: Uptime?) {}
}

@Suite("The upload service")
struct UploadServiceTests {
    private static let first = String(repeating: "a", count: 32)
    private static let second = String(repeating: "b", count: 32)

    /// Looks until the server got so many batches, at most two minutes.
    private func wait(for count: Int, at server: DeferringServer) async throws {
        for _ in 0..<12_000 where server.sent.count < count {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test("sends the events of a replaced queue, whatever the server said of the same keys before")
    func replaced() async throws {
        let server = DeferringServer(deferring: Self.first)
        let outbox = try ReplaceableOutbox(epoch: Self.first, events: 5)
        let time = SettableTimekeeper()
        let service = UploadService(
            outbox: outbox, sender: server, policy: UploadPolicy(), time: time,
            log: LogCollector(), executor: InlineExecutor(), liveness: Liveness(time: time),
            thread: try TimelessThread())
        let running = Task { await service.run() }
        defer { running.cancel() }
        try await wait(for: 1, at: server)
        try await outbox.replace(epoch: Self.second, events: 5)
        service.wake()
        try await wait(for: 2, at: server)
        // A request is counted when it begins; what came of it is written later.
        for _ in 0..<12_000 where await outbox.pendingCount() > 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        let epochs = server.sent.map { Set($0.map(\.epoch)) }
        #expect(epochs == [[Self.first], [Self.second]])
        #expect(await outbox.pendingCount() == 0)
    }
}
