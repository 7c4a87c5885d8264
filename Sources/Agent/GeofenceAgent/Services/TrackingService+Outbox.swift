import Delivery
import Timekeeping

extension TrackingService: Outbox {
    func epoch() -> String { queue.epoch }

    func pendingCount() -> Int64 { queue.counts.pending }

    func owesAnchors() -> Bool { outbox.owesAnchors(from: queue) }

    func uploadsPaused(until time: Uptime?) { pipeline.pauseSyncs(until: time) }

    func anchorBatch(_ batchID: String) -> OutgoingBatch {
        outbox.anchorBatch(batchID, from: queue)
    }

    func batch(for plan: BatchPlan) -> OutgoingBatch? {
        do throws(QueueError) {
            return try outbox.batch(for: plan, from: queue)
        } catch {
            log.write(LogLine(.error, "storage: \(error)"))
            return nil
        }
    }

    @discardableResult
    func conclude(_ conclusion: UploadConclusion, of batch: OutgoingBatch? = nil) -> Bool {
        var isWritten = true
        if let batch, !conclusion.verdicts.isEmpty { take(conclusion.verdicts, of: batch) }
        do throws(QueueError) {
            try outbox.conclude(
                conclusion, of: batch, in: queue,
                with: conclusion.settlements.isEmpty ? [:] : notificationValues())
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
