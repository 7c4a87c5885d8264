import Delivery
import TestSupport
import Testing
import Timekeeping

/// A planner with a queue, driven by hand.
struct Bench {
    var planner: UploadPlanner
    let queue = InMemoryEventQueue()
    var now = Uptime(milliseconds: 1_000_000)
    /// Keys of each request.
    var requests: [[Int64]] = []
    /// Whether the server needs clock anchors.
    var owesAnchors = false
    /// Whether the last conclusion says that it has them.
    var hasAnchors = false

    init(events: Int, policy: UploadPolicy = UploadPolicy(intervalSeconds: 0)) throws {
        planner = UploadPlanner(policy: policy, batchPrefix: "t")
        try commit(events)
    }

    func commit(_ count: Int) throws {
        _ = try queue.commit(SampleEvents.drafts(count), state: .none)
    }

    mutating func step() -> UploadAction {
        planner.step(at: now, pendingCount: queue.counts.pending, owesAnchors: owesAnchors)
    }

    /// One request, answered by `server`; false: there was none to make.
    mutating func exchange(
        random: Double = 0.5, _ server: (OutgoingBatch) -> SendOutcome
    ) throws -> Bool {
        let batchID: String
        var rows: [QueuedEvent] = []
        switch step() {
        case .send(let plan):
            batchID = plan.batchID
            rows = try queue.pending(plan.selection)
            guard !rows.isEmpty else {
                planner.foundNothing(at: now)
                return false
            }
        case .sendAnchors(let id): batchID = id
        case .wait, .idle, .heartbeat: return false
        }
        requests.append(rows.map(\.key))
        let batch = OutgoingBatch(
            batchID: batchID, events: rows, counts: queue.counts, clockAnchors: [])
        let conclusion = planner.finished(server(batch), of: batch, at: now, random: random)
        try queue.settle(conclusion.settlements)
        hasAnchors = conclusion.hasAnchors
        return true
    }

    /// Requests until there is none to make now; how many there were.
    mutating func exchangeAll(_ server: (OutgoingBatch) -> SendOutcome) throws -> Int {
        let before = requests.count
        while try exchange(server) {}
        return requests.count - before
    }

    /// Seconds until the planner wants something; 0: now, nil: it is idle.
    mutating func waitSeconds() -> Double? {
        switch step() {
        case .wait(let until): until.seconds(since: now)
        case .idle: nil
        case .send, .sendAnchors, .heartbeat: 0
        }
    }

    mutating func advance(_ seconds: Double) {
        now = now.advanced(byMilliseconds: Int64(seconds * 1000))
    }
}

func receipt(
    _ batch: OutgoingBatch, _ status: (QueuedEvent) -> Receipt.Status? = { _ in .accepted }
) -> SendOutcome {
    var results: [String: Receipt.Result] = [:]
    for event in batch.events { results[event.clientEventID] = status(event).map { .init($0) } }
    return .receipt(Receipt(results: results, configRevision: 1))
}
