import Timekeeping

/// Batches that bring clock anchors alone.
extension UploadPlanner {
    mutating func anchorStep(
        at now: Uptime, otherwise upload: UploadAction
    ) -> UploadAction {
        if case .send = upload { return upload }
        let next =
            anchors.blockedUntil(at: now)
            ?? allowance.take(at: now, intervalSeconds: policy.intervalSeconds)
        guard let next else { return .sendAnchors(batchID: startBatch()) }
        guard case .wait(let until) = upload else { return .wait(until: next) }
        return .wait(until: min(until, next))
    }

    /// The one receipt that may name no event is that of a batch without events, and one that
    /// names any is not the answer to it.
    mutating func anchorsReceived(
        _ receipt: Receipt, of batch: OutgoingBatch, at now: Uptime, random: Double
    ) -> UploadConclusion {
        guard receipt.namesNoEvent else {
            fail(
                batch, .serverBusy, "the receipt names events that were not sent", at: now,
                random: random)
            return UploadConclusion()
        }
        succeed(at: now)
        heartbeats.heard(at: now, random: random)
        return UploadConclusion(configRevision: receipt.configRevision, hasAnchors: true)
    }
}
