import Delivery
import Timekeeping

extension TrackingService: Outbox {
    func pendingCount() -> Int64 { queue.counts.pending }

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
    func conclude(_ conclusion: UploadConclusion) -> Bool {
        var isWritten = true
        do throws(QueueError) {
            if !conclusion.settlements.isEmpty { try queue.settle(conclusion.settlements) }
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
