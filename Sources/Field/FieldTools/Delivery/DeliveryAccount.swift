import Delivery
import Simulation
import Timekeeping

/// What was promised and answered, kept apart from the queue: what the queue says is held to it after
/// each step.
struct DeliveryAccount {
    /// A transaction of which nobody knows whether it was committed.
    enum Uncertain {
        case events(count: Int, madeAt: Int64)
        case settlements([Settlement])
    }

    var ledger = DeliveryLedger()
    /// Transactions with events.
    var commits: Int64 = 0
    var uncertain: Uncertain?
    /// The file was spoilt since it was last read.
    var isSpoilt = false
    /// The tracker's state went with a spoilt file.
    var isStateLost = false
    /// Boots of which an anchor was committed.
    var anchoredBoots: Set<String> = []

    var records: [DeliveryLedger.Record] { ledger.records }
    var counts: QueueCounts { ledger.counts }

    // MARK: Commits

    /// COMMIT returned with these.
    mutating func committed(
        _ events: [Event], drafts: Int, at time: Int64
    ) throws(DeliveryViolation) {
        guard events.count >= drafts else {
            throw DeliveryViolation("\(events.count) events of \(drafts) drafts")
        }
        for event in events {
            try ledger.add(
                DeliveryLedger.Record(
                    id: event.clientEventID, key: event.position.sequence,
                    position: event.position, kind: event.content.kind,
                    bootID: event.content.bootID, detected: event.content.detected.utc,
                    uptime: event.content.detected.uptime, madeAt: time))
            guard event.content.kind == .queueEvicted, let range = event.content.evicted else {
                continue
            }
            try ledger.evict(
                range, reason: event.content.reason, epoch: event.position.epoch)
        }
        if drafts > 0 { commits += 1 }
        isStateLost = isStateLost && drafts == 0
    }

    mutating func anchored(_ boot: BootID) { anchoredBoots.insert(boot.text) }

    // MARK: Requests

    /// What is about to be sent.
    func check(
        _ rows: [QueuedEvent], limit: Int, at now: Uptime
    ) throws(DeliveryViolation) {
        guard rows.count <= limit else {
            throw DeliveryViolation("a batch of \(rows.count), the limit is \(limit)")
        }
        var last = Int64.min
        for row in rows {
            guard row.key > last else { throw DeliveryViolation("a batch out of order") }
            last = row.key
            guard let record = ledger.pending(row.clientEventID) else {
                throw DeliveryViolation("\(row.clientEventID) is sent and is not pending")
            }
            if let time = record.notBefore, now < time {
                throw DeliveryViolation(
                    "\(row.clientEventID) is sent \(time.seconds(since: now)) s before its time")
            }
        }
    }

    /// While uploading is paused any event that is not put off is good for a probe.
    func checkNothingToProbe(at now: Uptime) throws(DeliveryViolation) {
        let isLeft = records.contains {
            $0.fate == .pending && ($0.notBefore.map { $0 <= now } ?? true)
        }
        if isLeft { throw DeliveryViolation("a pause that no probe can end") }
    }

    /// A receipt that puts events off.
    mutating func postpone(_ batch: OutgoingBatch, _ receipt: Receipt, at now: Uptime) {
        for event in batch.events {
            guard case .deferred(let seconds, _) = receipt.results[event.clientEventID]?.status
            else { continue }
            let wait = min(max(seconds ?? 60, 1), 86_400)
            ledger.postpone(
                event.clientEventID,
                until: now.advanced(byMilliseconds: Int64(wait * 1000)))
        }
    }

    /// A start, or a person, ends all such waits.
    mutating func forgetDeferrals() { ledger.forgetDeferrals() }

    /// Whether the server's words allow what is to be done to the events.
    func check(
        _ settlements: [Settlement], of batch: OutgoingBatch,
        words: [String: SimulatedServer.Word], server: SimulatedServer
    ) throws(DeliveryViolation) {
        for settlement in settlements {
            guard let id = name(settlement, in: batch) else { continue }
            switch settlement.fate {
            case .acknowledged where words[id] == .kept: break
            case .dead where server.refusesForEver(id): break
            case .dead:
                throw DeliveryViolation("\(id) is given up, and the server wants it")
            default:
                throw DeliveryViolation(
                    "\(id) is \(settlement.fate) without the server's word on it")
            }
        }
    }

    /// The settlements were committed.
    mutating func settled(_ settlements: [Settlement], of batch: OutgoingBatch) {
        for settlement in settlements {
            guard let id = name(settlement, in: batch) else { continue }
            ledger.settle(id, settlement.fate)
        }
    }

    private func name(_ settlement: Settlement, in batch: OutgoingBatch) -> String? {
        batch.events.first { $0.key == settlement.key }?.clientEventID
            ?? ledger.pendingID(inRow: settlement.key)
    }

    /// The four counters, held to each other and to what was promised.
    func check(_ found: QueueCounts) throws(DeliveryViolation) { try ledger.check(found) }
}
