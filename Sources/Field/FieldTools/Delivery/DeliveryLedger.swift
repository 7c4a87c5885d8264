import Delivery
import Timekeeping

/// Every event of a simulated device with its fate, and how many there are of each.
struct DeliveryLedger {
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

    private(set) var records: [Record] = []
    private(set) var counts = QueueCounts()
    private var indices: [String: Int] = [:]
    private var lastSequences: [String: Int64] = [:]

    func knows(_ id: String) -> Bool { indices[id] != nil }

    /// Nil where there is no such event, or it has left the queue.
    func pending(_ id: String) -> Record? {
        guard let index = indices[id], records[index].fate == .pending else { return nil }
        return records[index]
    }

    /// The name of the event that waits in the row `key`.
    func pendingID(inRow key: Int64) -> String? {
        records.first { $0.key == key && $0.fate == .pending }?.id
    }

    // MARK: Into the queue

    mutating func add(_ record: Record) throws(DeliveryViolation) {
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

    /// A start gives rows other numbers.
    mutating func move(_ id: String, toRow key: Int64) {
        if let index = indices[id] { records[index].key = key }
    }

    // MARK: Not yet

    mutating func postpone(_ id: String, until time: Uptime) {
        if let index = indices[id] { records[index].notBefore = time }
    }

    mutating func forgetDeferrals() {
        for index in records.indices { records[index].notBefore = nil }
    }

    // MARK: Out of the queue

    /// Does nothing to an event that has left the queue.
    mutating func settle(_ id: String, _ fate: Settlement.Fate) {
        guard let index = indices[id], records[index].fate == .pending else { return }
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

    /// Takes out what a `queue_evicted` event of this epoch, or its `reason`, tells of.
    mutating func evict(
        _ range: EvictedRange, reason: String?, epoch own: String
    ) throws(DeliveryViolation) {
        let foreign = reason.flatMap { $0.hasPrefix("epoch ") ? String($0.dropFirst(6)) : nil }
        let epoch = foreign ?? own
        let count = evict {
            $0.kind == range.kind && $0.position.epoch == epoch
                && $0.position.sequence >= range.firstSequence
                && $0.position.sequence <= range.lastSequence
        }
        guard count == range.count else {
            throw DeliveryViolation("\(count) evicted events are told as \(range.count)")
        }
    }

    /// How many waited and are taken out.
    @discardableResult
    mutating func evict(where isLost: (Record) -> Bool) -> Int64 {
        var count: Int64 = 0
        for index in records.indices
        where records[index].fate == .pending && isLost(records[index]) {
            records[index].fate = .evicted
            count += 1
        }
        counts.pending -= count
        counts.evicted += count
        return count
    }

    /// Begins the counters anew, where the old ones could not be read.
    mutating func adopt(_ found: QueueCounts) {
        counts = found
        counts.oldest = nil
    }

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

    static func words(_ counts: QueueCounts) -> String {
        "enqueued \(counts.enqueued) acknowledged \(counts.acknowledged) pending "
            + "\(counts.pending) dead \(counts.dead) evicted \(counts.evicted)"
    }
}
