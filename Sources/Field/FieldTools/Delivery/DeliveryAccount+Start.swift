import Delivery
import Timekeeping
import WireFormat

/// What a start of the agent finds.
extension DeliveryAccount {
    /// Compares every pending row after a start, and settles what was uncertain.
    mutating func reconcile(_ queue: any EventQueue, at time: Int64) throws {
        let rows = try queue.pending(.oldest(limit: .max, maxBytes: .max, excluding: []))
        defer { uncertain = nil }
        forgetDeferrals()
        if case .settlements(let settlements) = uncertain {
            try settle(settlements, leaving: Set(rows.map(\.key)))
        }
        try adopt(rows.filter { !ledger.knows($0.clientEventID) }, at: time)
        if isSpoilt { try noteSpoilt(rows, queue) }
        for row in rows {
            guard ledger.pending(row.clientEventID) != nil else {
                throw DeliveryViolation("\(row.clientEventID) is pending again")
            }
            ledger.move(row.clientEventID, toRow: row.key)
        }
        try check(queue.counts)
        guard rows.count == Int(counts.pending) else {
            throw DeliveryViolation("\(rows.count) rows are pending, \(counts.pending) promised")
        }
        try checkState(try queue.state(.pipeline))
    }

    /// Settles what is not among the rows that are left: all of the transaction, or nothing.
    private mutating func settle(
        _ settlements: [Settlement], leaving keys: Set<Int64>
    ) throws(DeliveryViolation) {
        let done = settlements.filter { !keys.contains($0.key) }
        for settlement in done {
            if let id = ledger.pendingID(inRow: settlement.key) {
                ledger.settle(id, settlement.fate)
            }
        }
        guard done.isEmpty || done.count == settlements.count else {
            throw DeliveryViolation("half a settlement was committed")
        }
    }

    /// Rows that no COMMIT has returned for: all of the uncertain transaction, or none.
    private mutating func adopt(_ rows: [QueuedEvent], at time: Int64) throws {
        guard !rows.isEmpty else { return }
        var ordinary = 0
        // What a start itself tells is of now.
        var (drafts, madeAt): (Int, Int64) = (0, time)
        if case .events(let count, let time) = uncertain { (drafts, madeAt) = (count, time) }
        for row in rows {
            let wire = try WireCoding.decode(WireEvent.self, from: row.payload)
            try ledger.add(
                DeliveryLedger.Record(
                    id: row.clientEventID, key: row.key, position: row.position, kind: row.kind,
                    bootID: BootID(wire.bootID), detected: wire.detectedAt?.time,
                    uptime: wire.monoMilliseconds.map(Uptime.init), madeAt: madeAt))
            if row.kind == .queueEvicted, let told = wire.evicted,
                let kind = EventKind(rawValue: told.kind)
            {
                try ledger.evict(
                    EvictedRange(
                        kind: kind, count: told.count, firstSequence: told.firstSequence,
                        lastSequence: told.lastSequence),
                    reason: wire.reason, epoch: row.position.epoch)
            } else if row.kind != .stateReset {
                ordinary += 1
            }
        }
        // A spoilt file tells of itself, without a commit of ours.
        guard ordinary > 0 || (drafts > 0 && !isSpoilt) else { return }
        guard ordinary == drafts else {
            throw DeliveryViolation("\(ordinary) events of a transaction of \(drafts) were kept")
        }
        commits += 1
        isStateLost = false
    }

    /// What a spoilt file cost is counted.
    private mutating func noteSpoilt(_ rows: [QueuedEvent], _ queue: any EventQueue) throws {
        isSpoilt = false
        let kept = Set(rows.map(\.clientEventID))
        ledger.evict { !kept.contains($0.id) }
        isStateLost = try queue.state(.pipeline) == nil
        anchoredBoots.formIntersection(queue.clockAnchors.map(\.bootID.text))
        let found = queue.counts
        guard found.isBalanced, found.pending == counts.pending else {
            throw DeliveryViolation(
                "after a damage the queue counts \(DeliveryLedger.words(found)), expected "
                    + DeliveryLedger.words(counts))
        }
        // Where the old counters could not be read either, the account begins anew.
        ledger.adopt(found)
    }

    /// The tracker's state is that of the last transaction with events.
    private func checkState(_ value: [UInt8]?) throws(DeliveryViolation) {
        let expected = isStateLost || commits == 0 ? nil : Array(String(commits).utf8)
        guard value == expected else {
            throw DeliveryViolation(
                "the state is that of commit \(value.map { String(decoding: $0, as: UTF8.self) } ?? "-"), "
                    + "the events are those of \(commits)")
        }
    }
}
