import Delivery
import Simulation
import Timekeeping
import WireFormat

/// Every event of a simulated device with its fate, kept apart from the queue from what was promised
/// and answered: what the queue says is held to it after each step.
struct DeliveryAccount {
    enum Fate: Hashable {
        case pending, acknowledged, dead, evicted
    }

    struct Record {
        var id: String
        var key: Int64
        var position: QueuePosition
        var kind: EventKind
        var bootID: BootID
        /// Nil: it was not known when the event was made.
        var detected: UTCTime?
        var uptime: Uptime?
        /// The true time, milliseconds of the simulation.
        var madeAt: Int64
        var fate = Fate.pending
        /// The server does not want it before then; nil: it does, or a start has forgotten.
        var notBefore: Uptime?
    }

    /// A transaction of which nobody knows whether it was committed.
    enum Uncertain {
        case events(count: Int, madeAt: Int64)
        case settlements([Settlement])
    }

    private(set) var records: [Record] = []
    private var indices: [String: Int] = [:]
    private(set) var counts = QueueCounts()
    private var lastSequences: [String: Int64] = [:]
    /// Transactions with events.
    private(set) var commits: Int64 = 0
    var uncertain: Uncertain?
    /// The file was spoilt since it was last read.
    var isSpoilt = false
    /// The tracker's state went with a spoilt file.
    private var isStateLost = false
    private var refusedAlone: Set<String> = []
    /// Boots of which an anchor was committed.
    private(set) var anchoredBoots: Set<String> = []

    // MARK: Commits

    /// COMMIT returned with these.
    mutating func committed(
        _ events: [Event], drafts: Int, at time: Int64
    ) throws(DeliveryViolation) {
        guard events.count >= drafts else {
            throw DeliveryViolation("\(events.count) events of \(drafts) drafts")
        }
        for event in events {
            try add(
                Record(
                    id: event.clientEventID, key: event.position.sequence,
                    position: event.position, kind: event.content.kind,
                    bootID: event.content.bootID, detected: event.content.detected.utc,
                    uptime: event.content.detected.uptime, madeAt: time))
            try noteLoss(event.content, epoch: event.position.epoch)
        }
        if drafts > 0 { commits += 1 }
        isStateLost = isStateLost && drafts == 0
    }

    mutating func anchored(_ boot: BootID) { anchoredBoots.insert(boot.text) }

    private mutating func add(_ record: Record) throws(DeliveryViolation) {
        let epoch = record.position.epoch
        let expected = (lastSequences[epoch] ?? 0) + 1
        guard record.position.sequence == expected else {
            throw DeliveryViolation(
                "sequence number \(record.position.sequence) after \(expected - 1)")
        }
        guard indices.updateValue(records.count, forKey: record.id) == nil else {
            throw DeliveryViolation("two events have the name \(record.id)")
        }
        lastSequences[epoch] = expected
        records.append(record)
        counts.enqueued += 1
        counts.pending += 1
    }

    /// Takes out what a `queue_evicted` event tells of.
    private mutating func noteLoss(
        _ draft: EventDraft, epoch: String
    ) throws(DeliveryViolation) {
        guard draft.kind == .queueEvicted, let range = draft.evicted else { return }
        let foreign = draft.reason.flatMap {
            $0.hasPrefix("epoch ") ? String($0.dropFirst(6)) : nil
        }
        try evict(range, epoch: foreign ?? epoch)
    }

    private mutating func evict(
        _ range: EvictedRange, epoch: String
    ) throws(DeliveryViolation) {
        var count: Int64 = 0
        for index in records.indices {
            let record = records[index]
            guard record.fate == .pending, record.kind == range.kind,
                record.position.epoch == epoch, record.position.sequence >= range.firstSequence,
                record.position.sequence <= range.lastSequence
            else { continue }
            records[index].fate = .evicted
            count += 1
        }
        guard count == range.count else {
            throw DeliveryViolation("\(count) evicted events are told as \(range.count)")
        }
        counts.pending -= count
        counts.evicted += count
    }

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
            guard let index = indices[row.clientEventID], records[index].fate == .pending else {
                throw DeliveryViolation("\(row.clientEventID) is sent and is not pending")
            }
            if let time = records[index].notBefore, now < time {
                throw DeliveryViolation(
                    "\(row.clientEventID) is sent \(time.seconds(since: now)) s before its time")
            }
        }
    }

    /// A receipt that puts events off.
    mutating func postpone(_ batch: OutgoingBatch, _ receipt: Receipt, at now: Uptime) {
        for event in batch.events {
            guard case .deferred(let seconds) = receipt.results[event.clientEventID]?.status,
                let index = indices[event.clientEventID]
            else { continue }
            let wait = min(max(seconds ?? 60, 1), 86_400)
            records[index].notBefore = now.advanced(byMilliseconds: Int64(wait * 1000))
        }
    }

    /// A start, or a person, ends all such waits.
    mutating func forgetDeferrals() {
        for index in records.indices { records[index].notBefore = nil }
    }

    /// Whether the server's words allow what is to be done to the events.
    mutating func check(
        _ settlements: [Settlement], of batch: OutgoingBatch, outcome: SendOutcome,
        words: [String: SimulatedServer.Word]
    ) throws(DeliveryViolation) {
        if case .refused(let refusal) = outcome, refusal.status == 400 || refusal.status == 422,
            batch.events.count == 1
        {
            refusedAlone.insert(batch.events[0].clientEventID)
        }
        for settlement in settlements {
            guard
                let id = batch.events.first(where: { $0.key == settlement.key })?.clientEventID
                    ?? records.first(where: { $0.key == settlement.key && $0.fate == .pending })?.id
            else { continue }
            switch settlement.fate {
            case .acknowledged where words[id] == .kept: break
            case .dead where words[id] == .refused || refusedAlone.contains(id): break
            default:
                throw DeliveryViolation(
                    "\(id) is \(settlement.fate) without the server's word on it")
            }
        }
    }

    /// The settlements were committed.
    mutating func settled(_ settlements: [Settlement], of batch: OutgoingBatch) {
        for settlement in settlements {
            guard
                let id = batch.events.first(where: { $0.key == settlement.key })?.clientEventID
                    ?? records.first(where: { $0.key == settlement.key && $0.fate == .pending })?.id,
                let index = indices[id], records[index].fate == .pending
            else { continue }
            settle(index, settlement.fate)
        }
    }

    private mutating func settle(_ index: Int, _ fate: Settlement.Fate) {
        counts.pending -= 1
        switch fate {
        case .acknowledged:
            records[index].fate = .acknowledged
            counts.acknowledged += 1
        case .dead:
            records[index].fate = .dead
            counts.dead += 1
        }
    }

    // MARK: The queue

    /// The four counters, held to each other and to what was promised.
    func check(_ found: QueueCounts) throws(DeliveryViolation) {
        var expected = counts
        expected.oldest = found.oldest
        guard found.isBalanced else {
            throw DeliveryViolation("the counters are not balanced: \(Self.words(found))")
        }
        guard found == expected else {
            throw DeliveryViolation(
                "the queue counts \(Self.words(found)), promised \(Self.words(expected))")
        }
    }

    private static func words(_ counts: QueueCounts) -> String {
        "enqueued \(counts.enqueued) acknowledged \(counts.acknowledged) pending "
            + "\(counts.pending) dead \(counts.dead) evicted \(counts.evicted)"
    }

    /// Compares every pending row after a start, and settles what was uncertain.
    mutating func reconcile(_ queue: any EventQueue, at time: Int64) throws {
        let rows = try queue.pending(.oldest(limit: .max, maxBytes: .max, excluding: []))
        defer { uncertain = nil }
        forgetDeferrals()
        if case .settlements(let settlements) = uncertain {
            let keys = Set(rows.map(\.key))
            let done = settlements.filter { !keys.contains($0.key) }
            for settlement in done {
                if let index = records.firstIndex(where: {
                    $0.key == settlement.key && $0.fate == .pending
                }) {
                    settle(index, settlement.fate)
                }
            }
            guard done.isEmpty || done.count == settlements.count else {
                throw DeliveryViolation("half a settlement was committed")
            }
        }
        try adopt(rows.filter { indices[$0.clientEventID] == nil }, at: time)
        if isSpoilt { try noteSpoilt(rows, queue) }
        for row in rows {
            guard let index = indices[row.clientEventID], records[index].fate == .pending else {
                throw DeliveryViolation("\(row.clientEventID) is pending again")
            }
            records[index].key = row.key
        }
        try check(queue.counts)
        guard rows.count == Int(counts.pending) else {
            throw DeliveryViolation("\(rows.count) rows are pending, \(counts.pending) promised")
        }
        try checkState(try queue.state(.pipeline))
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
            try add(
                Record(
                    id: row.clientEventID, key: row.key, position: row.position, kind: row.kind,
                    bootID: BootID(wire.bootID), detected: wire.detectedAt?.time,
                    uptime: wire.monoMilliseconds.map(Uptime.init), madeAt: madeAt))
            if row.kind == .queueEvicted, let told = wire.evicted,
                let kind = EventKind(rawValue: told.kind)
            {
                let epoch = wire.reason.flatMap {
                    $0.hasPrefix("epoch ") ? String($0.dropFirst(6)) : nil
                }
                try evict(
                    EvictedRange(
                        kind: kind, count: told.count, firstSequence: told.firstSequence,
                        lastSequence: told.lastSequence),
                    epoch: epoch ?? row.position.epoch)
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
        var lost: Int64 = 0
        for index in records.indices
        where records[index].fate == .pending && !kept.contains(records[index].id) {
            records[index].fate = .evicted
            lost += 1
        }
        isStateLost = try queue.state(.pipeline) == nil
        anchoredBoots.formIntersection(queue.clockAnchors.map(\.bootID.text))
        let found = queue.counts
        counts.pending -= lost
        counts.evicted += lost
        guard found.isBalanced, found.pending == counts.pending else {
            throw DeliveryViolation(
                "after a damage the queue counts \(Self.words(found)), expected "
                    + Self.words(counts))
        }
        // Where the old counters could not be read either, the account begins anew.
        counts = found
        counts.oldest = nil
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
