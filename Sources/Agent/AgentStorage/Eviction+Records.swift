import Delivery
import SQLite
import WireFormat

extension QueueStore {
    /// Where more than `limit` pending events tell of evictions in the current epoch, lets them give
    /// way, too: each kind's losses are told by one event then, which takes over what they told, and
    /// they are counted as losses of their own kind. What is pending and what was sent still tell
    /// together of every event that is gone.
    func mergingRecords(
        into evictions: [Eviction], above limit: Int
    ) throws(SQLiteError) -> [Eviction] {
        let records = try evictionRecords()
        guard records.count > limit else { return evictions }
        var merged = evictions
        for record in records {
            merged.add(record.told, count: record.told.count, keys: [])
            merged.add(
                EvictedRange(
                    kind: .queueEvicted, count: 1, firstSequence: record.key,
                    lastSequence: record.key), count: 0, keys: [record.key])
        }
        return merged
    }

    private func evictionRecords() throws(SQLiteError) -> [(key: Int64, told: EvictedRange)] {
        try connection.query(
            """
            SELECT \(QueueRows.columns) FROM events
            WHERE status = 0 AND kind = 'queue_evicted' AND epoch IS NULL ORDER BY key
            """
        ) { row -> (key: Int64, told: EvictedRange)? in
            guard let event = QueueRows.event(row, epoch: epoch),
                let wire = try? WireCoding.decode(WireEvent.self, from: event.payload),
                wire.reason == Eviction.reason, let told = wire.evicted,
                let kind = EventKind(rawValue: told.kind)
            else { return nil }
            let range = EvictedRange(
                kind: kind, count: told.count, firstSequence: told.firstSequence,
                lastSequence: told.lastSequence)
            return (event.key, range)
        }.compactMap { $0 }
    }
}

extension Eviction {
    /// `reason` of the event that tells of an eviction of the current epoch.
    static let reason = "capacity"
}

extension [Eviction] {
    /// Takes in losses of the current epoch: `count` that were told before, and `keys`.
    fileprivate mutating func add(_ range: EvictedRange, count: Int64, keys: [Int64]) {
        guard let index = firstIndex(where: { $0.kind == range.kind && $0.epoch == nil }) else {
            append(
                Eviction(
                    kind: range.kind, epoch: nil, keys: keys, firstSequence: range.firstSequence,
                    lastSequence: range.lastSequence, toldBefore: count))
            return
        }
        self[index].keys += keys
        self[index].toldBefore += count
        self[index].firstSequence = Swift.min(self[index].firstSequence, range.firstSequence)
        self[index].lastSequence = Swift.max(self[index].lastSequence, range.lastSequence)
    }
}
