import Timekeeping

/// Which events go next.
extension UploadPlanner {
    mutating func uploadStep(at now: Uptime, pendingCount: Int64) -> UploadAction {
        self.pendingCount = pendingCount
        guard pendingCount > 0 else { return .idle }
        deferrals.expire(at: now)
        refusedEvents.expire(at: now)
        if !isPaused, let keys = refusedEvents.next(at: now) { return send(.keys(keys)) }
        if let exhausted, exhausted.pendingCount == pendingCount, now < exhausted.until {
            return .wait(until: exhausted.until)
        }
        if !isPaused, let blocked = refusedEvents.takesNoneUntil(at: now) {
            return .wait(until: blocked)
        }
        if deferrals.isFull, let earliest = deferrals.earliest { return .wait(until: earliest) }
        if let next = allowance.take(at: now, intervalSeconds: policy.intervalSeconds) {
            return .wait(until: next)
        }
        // A probe may be any event: those that wait to be asked about are as good, and may be all.
        return send(
            .oldest(
                limit: isPaused ? 1 : batchLimit.current(at: now, policy: policy),
                maxBytes: UploadPolicy.greatestBatchBytes,
                excluding: isPaused ? deferrals.keys : deferrals.keys.union(refusedEvents.keys)))
    }

    private mutating func send(_ selection: BatchSelection) -> UploadAction {
        .send(BatchPlan(batchID: startBatch(), selection: selection))
    }

    mutating func startBatch() -> String {
        batchCount += 1
        network.requestStarted()
        return "\(batchPrefix)-\(batchCount)"
    }

    /// The plan found no event: all wait for something, or they were evicted.
    public mutating func foundNothing(at now: Uptime) {
        network.requestEnded()
        guard !refusedEvents.foundNothing(at: now) else { return }
        allowance.giveBack()
        let wakes = [
            deferrals.earliest, refusedEvents.earliest(at: now),
            now.advanced(bySeconds: UploadPolicy.exhaustedSeconds),
        ]
        exhausted = wakes.compactMap { $0 }.min()
            .map { Exhausted(pendingCount: pendingCount, until: $0) }
    }

    /// Whether a batch was a full one, or leaves enough for another that is.
    func hasBacklog(behind batch: OutgoingBatch, at now: Uptime) -> Bool {
        let limit = batchLimit.current(at: now, policy: policy)
        guard batch.events.count < limit else { return true }
        let held = deferrals.keys.union(refusedEvents.keys)
        let sent = batch.events.filter { !held.contains($0.key) }.count
        return pendingCount - Int64(sent + limit) >= held.countAtMost
    }
}
