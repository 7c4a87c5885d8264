import Delivery
import Timekeeping
import WireFormat

extension TrackingService: Outbox {
    func pendingCount() -> Int64 { queue.counts.pending }

    func owesAnchors() -> Bool { anchorLedger.isOwed(queue.clockAnchors) }

    func anchorBatch(_ batchID: String) -> OutgoingBatch {
        OutgoingBatch(
            batchID: batchID, events: [], counts: queue.counts, clockAnchors: queue.clockAnchors)
    }

    func batch(for plan: BatchPlan) -> OutgoingBatch? {
        do throws(QueueError) {
            let events = try queue.pending(plan.selection)
            guard !events.isEmpty else { return nil }
            return OutgoingBatch(
                batchID: plan.batchID, events: events, counts: queue.counts,
                clockAnchors: queue.clockAnchors)
        } catch {
            log.write(LogLine(.error, "storage: \(error)"))
            return nil
        }
    }

    @discardableResult
    func conclude(_ conclusion: UploadConclusion, of batch: OutgoingBatch? = nil) -> Bool {
        var isWritten = true
        var ledger = anchorLedger
        if let batch { ledger.note(conclusion, of: batch) }
        if let batch, !conclusion.verdicts.isEmpty { take(conclusion.verdicts, of: batch) }
        do throws(QueueError) {
            // What is owed is written with the receipts that make it so. That anchors have arrived
            // may wait for the next commit: at worst they are sent twice.
            if !conclusion.settlements.isEmpty {
                var values = ledger == storedAnchorLedger ? [:] : ledger.values
                values.merge(notificationValues()) { given, _ in given }
                try queue.settle(conclusion.settlements, state: StateUpdate(values: values))
                storedAnchorLedger = ledger
            }
            anchorLedger = ledger
        } catch {
            // Unsettled events are sent again, and the server knows them again.
            log.write(LogLine(.error, "storage: \(error)"))
            isWritten = false
        }
        for settlement in conclusion.settlements {
            if case .dead(let code) = settlement.fate {
                log.write(
                    LogLine(.error, "event \(settlement.key) is refused for good: \(code)"))
            }
        }
        if let revision = conclusion.configRevision,
            let known = source.configuration?.revision, revision != known
        {
            pipeline.configurationPushed()
        }
        return isWritten
    }
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
    var values: [StateKey: [UInt8]?] {
        (try? WireCoding.encode(self)).map { [.anchorLedger: $0] } ?? [:]
    }
}
