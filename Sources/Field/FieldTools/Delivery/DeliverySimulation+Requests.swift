import Delivery
import GeofenceAgent
import Simulation
import Timekeeping

/// The uploader, as `UploadService.run` does it.
extension DeliverySimulation {
    /// Longest wait that anything may ask for, seconds: a deferral of a day.
    private static let longestWait = 86_400.001
    /// Plans in a row that find nothing: each event that was held and evicted costs one.
    private static let planLimit = 20 + UploadPolicy.suspectLimit

    mutating func turn() throws {
        guard let queue else { return }
        for _ in 0..<Self.planLimit {
            planner.useKeys(ofEpoch: queue.epoch)
            let action = planner.step(
                at: clock.uptime, pendingCount: queue.counts.pending,
                owesAnchors: outbox.owesAnchors(from: queue))
            switch action {
            case .idle:
                wakeAt = now + Self.hour
                return
            case .wait(let until):
                let seconds = until.seconds(since: clock.uptime)
                guard seconds > 0, seconds <= Self.longestWait else {
                    throw DeliveryViolation("a wait of \(seconds) s")
                }
                let whole = until.milliseconds - clock.uptime.milliseconds
                // Now and then it looks early, as a wake for nothing makes it.
                let isEarly = random.uniform() < 0.1
                wakeAt = now + (isEarly ? max(1, Int64(Double(whole) * random.uniform())) : whole)
                return
            case .heartbeat:
                try begin(nil)
                return
            case .sendAnchors(let id):
                try begin(outbox.anchorBatch(id, from: queue))
                return
            case .send(let plan):
                guard let batch = try outbox.batch(for: plan, from: queue) else {
                    if planner.isPaused { try account.checkNothingToProbe(at: clock.uptime) }
                    planner.foundNothing(at: clock.uptime)
                    continue
                }
                try account.check(
                    batch.events, limit: planner.isPaused ? 1 : policy.maxBatch, at: clock.uptime)
                try begin(batch)
                return
            }
        }
        throw DeliveryViolation("plan after plan finds nothing")
    }

    private mutating func begin(_ batch: OutgoingBatch?) throws {
        outcome.requests += 1
        try gate.began(
            at: clock.uptime, isAnchorsOnly: batch.map { $0.events.isEmpty } ?? false)
        let request: RunningRequest
        if let batch {
            request = network.carry(batch, at: now, isTimeKnown: isTimeKnown, &random)
        } else {
            request = network.carryHeartbeat(at: now, &random)
        }
        running = request
        say("\(batch.map { words($0) } ?? "heartbeat") -> \(request.words(at: now))")
    }

    // MARK: The end of a request

    mutating func end(_ request: RunningRequest) throws {
        running = nil
        guard let queue else { return }
        let chance = random.uniform()
        wakeAt = now
        switch request.ending {
        case .heartbeat(let heard):
            _ = planner.finished(heartbeat: heard, at: clock.uptime, random: chance)
            gate.ended(heard, at: clock.uptime, random: chance)
        case .batch(let batch, let answer, let words):
            let conclusion = planner.finished(
                answer, of: batch, at: clock.uptime, random: chance)
            try gate.ended(answer, of: batch, at: clock.uptime, random: chance)
            try account.check(
                conclusion.settlements, of: batch, words: words, server: network.server)
            if case .receipt(let receipt) = answer {
                account.postpone(batch, receipt, at: clock.uptime)
            }
            try noteReceipt(words)
            try write(conclusion, of: batch, to: queue)
        }
    }

    private mutating func noteReceipt(_ words: [String: SimulatedServer.Word]) throws {
        guard isFirstReceiptDue, !words.isEmpty else { return }
        isFirstReceiptDue = false
        let seconds = Double(now - calmAt) / 1000
        outcome.firstReceiptSeconds = seconds
        guard seconds <= 310 else {
            throw DeliveryViolation("the first receipt came \(seconds) s after the last fault")
        }
    }

    private mutating func write(
        _ conclusion: UploadConclusion, of batch: OutgoingBatch, to queue: any EventQueue
    ) throws {
        let mayEnd = !network.isCalm && !conclusion.settlements.isEmpty && climate.kind == .crashes
        if mayEnd, random.uniform() < 0.15 {
            let fault: SimulatedDisk.Fault =
                random.uniform() < 0.5 ? .endsBeforeCommit : .endsAfterCommit
            if storage.arm(fault) { account.uncertain = .settlements(conclusion.settlements) }
        }
        do throws(QueueError) {
            try outbox.conclude(conclusion, of: batch, in: queue)
        } catch {
            guard error == .closed, account.uncertain != nil else { throw error }
            return try kill("within a settlement")
        }
        account.settled(conclusion.settlements, of: batch)
    }

    private func words(_ batch: OutgoingBatch) -> String {
        guard let first = batch.events.first, let last = batch.events.last else {
            return "\(batch.batchID): anchors"
        }
        return "\(batch.batchID): \(batch.events.count) events, "
            + "\(first.position.sequence) to \(last.position.sequence)"
    }
}
