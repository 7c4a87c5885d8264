import Delivery
import WireFormat

/// Hands batches of a queue to an uploader and writes what became of them, with an account of which
/// clock anchors the server has and needs.
public struct QueueOutbox {
    private var ledger = AnchorLedger()
    /// What of `ledger` is on disk.
    private var stored = AnchorLedger()

    public init() {}

    /// Takes over the account that an earlier run left.
    public mutating func restore(from queue: any EventQueue) {
        guard let bytes = (try? queue.state(.anchorLedger)) ?? nil,
            let found = try? WireCoding.decode(AnchorLedger.self, from: bytes)
        else { return }
        ledger = found
        stored = found
    }

    /// Whether the server has events that a clock anchor would give their time.
    public func owesAnchors(from queue: any EventQueue) -> Bool {
        ledger.isOwed(queue.clockAnchors)
    }

    /// The clock anchors without events.
    public func anchorBatch(_ batchID: String, from queue: any EventQueue) -> OutgoingBatch {
        OutgoingBatch(
            batchID: batchID, events: [], counts: queue.counts, clockAnchors: queue.clockAnchors)
    }

    /// Nil where nothing fits the plan.
    public func batch(
        for plan: BatchPlan, from queue: any EventQueue
    ) throws(QueueError) -> OutgoingBatch? {
        let events = try queue.pending(plan.selection)
        guard !events.isEmpty else { return nil }
        return OutgoingBatch(
            batchID: plan.batchID, events: events, counts: queue.counts,
            clockAnchors: queue.clockAnchors)
    }

    /// Writes the settlements, with `values`. What is owed is written with the receipts that make it
    /// so; that anchors have arrived may wait for the next commit: at worst they are sent twice. Nil:
    /// the request was no batch.
    public mutating func conclude(
        _ conclusion: UploadConclusion, of batch: OutgoingBatch?, in queue: any EventQueue,
        with values: [StateKey: [UInt8]?] = [:]
    ) throws(QueueError) {
        var next = ledger
        if let batch { next.note(conclusion, of: batch) }
        if !conclusion.settlements.isEmpty {
            try queue.settle(
                conclusion.settlements,
                state: StateUpdate(
                    values: values.merging(next == stored ? [:] : next.values) { $1 }))
            stored = next
        }
        ledger = next
    }

    /// What the next commit should write besides its own; empty: nothing.
    public var unstoredValues: [StateKey: [UInt8]?] { ledger == stored ? [:] : ledger.values }

    /// `unstoredValues` were written.
    public mutating func noteStored() { stored = ledger }
}

extension AnchorLedger {
    /// Takes in what the server has kept of a batch.
    fileprivate mutating func note(_ conclusion: UploadConclusion, of batch: OutgoingBatch) {
        let taken = Set(conclusion.settlements.lazy.filter { $0.fate == .acknowledged }.map(\.key))
        for event in batch.events where taken.contains(event.key) {
            if let boot = event.untimedBoot { untimedEventAcknowledged(of: boot) }
        }
        if conclusion.hasAnchors { for anchor in batch.clockAnchors { acknowledged(anchor) } }
    }

    /// As it is stored; empty where it cannot be written.
    fileprivate var values: [StateKey: [UInt8]?] {
        (try? WireCoding.encode(self)).map { [.anchorLedger: $0] } ?? [:]
    }
}
