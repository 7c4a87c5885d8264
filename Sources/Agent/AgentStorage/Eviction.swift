import Delivery
import SQLite

/// Pending events of one kind and epoch that give way to newer ones.
struct Eviction: Hashable {
    var kind: EventKind
    /// Nil: the current epoch.
    var epoch: String?
    var keys: [Int64]
    var firstSequence: Int64
    var lastSequence: Int64
    /// Events of which a record told that gives way with them.
    var toldBefore: Int64 = 0

    /// What the server is told of it.
    var range: EvictedRange {
        EvictedRange(
            kind: kind, count: Int64(keys.count) + toldBefore, firstSequence: firstSequence,
            lastSequence: lastSequence)
    }
}

extension QueueStore {
    /// Kinds in the order in which they give way. What tells of losses never does.
    private static let order: [[EventKind]] = [
        [.pass], [.enter, .exit, .dwell, .moved, .coverageLost, .coverageRestored],
        [.visitStarted, .visitEnded],
    ]

    /// The oldest pending events that free about `bytes` together, and at least `count` of them, in
    /// the order of eviction; fewer where there are no more.
    func evictions(
        freeing bytes: Int64, atLeast count: Int = 1, ownOnly: Bool = false
    ) throws(SQLiteError) -> [Eviction] {
        var found: [Eviction] = []
        var freed: Int64 = 0
        var taken = 0
        for kinds in Self.order where freed < bytes || taken < count {
            let names = kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            try connection.forEach(
                """
                SELECT key, kind, epoch, sequence, length(payload) FROM events
                WHERE status = 0 AND kind IN (\(names)) \(ownOnly ? "AND epoch IS NULL" : "")
                ORDER BY key
                """
            ) { row in
                if let kind = EventKind(rawValue: row.text(1)) {
                    Self.add(row, kind, to: &found)
                    freed += row.int64(4) + Self.rowOverhead
                    taken += 1
                }
                return freed < bytes || taken < count
            }
        }
        return found
    }

    private static func add(
        _ row: borrowing Row, _ kind: EventKind, to found: inout [Eviction]
    ) {
        let key = row.int64(0)
        let epoch = row.optionalText(2)
        let sequence = row.optionalInt64(3) ?? key
        guard let index = found.firstIndex(where: { $0.kind == kind && $0.epoch == epoch }) else {
            found.append(
                Eviction(
                    kind: kind, epoch: epoch, keys: [key], firstSequence: sequence,
                    lastSequence: sequence))
            return
        }
        found[index].keys.append(key)
        found[index].lastSequence = sequence
    }

    /// Bytes of a row besides its payload, about.
    private static let rowOverhead: Int64 = 70

    func delete(_ eviction: Eviction, _ counters: inout Counters) throws(SQLiteError) {
        for key in eviction.keys {
            try connection.run("DELETE FROM events WHERE key = ? AND status = 0", key)
            let changed = Int64(connection.changes)
            counters.pending -= changed
            counters.evicted += changed
        }
    }

    /// Deletes the oldest dead letters that free about `bytes` together; answers how many.
    func deleteDead(freeing bytes: Int64) throws(SQLiteError) -> Int64 {
        var changed = counters
        let count = try connection.transaction { () throws(SQLiteError) in
            let count = try trimDead(&changed, to: max(0, changed.deadBytes - bytes))
            try write(changed)
            return count
        }
        replaceCounters(changed)
        return count
    }

    /// Deletes the oldest acknowledged events; answers how many.
    func deleteAcknowledged(atMost count: Int) throws(SQLiteError) -> Int64 {
        var changed = counters
        try connection.transaction { () throws(SQLiteError) in
            try deleteAcknowledged(Int64(count), &changed)
            try write(changed)
        }
        defer { replaceCounters(changed) }
        return counters.keptAcknowledged - changed.keptAcknowledged
    }

    /// Bytes in use, free pages within the file left out.
    func usedBytes() throws(SQLiteError) -> Int64 {
        try connection.databaseBytes() - connection.freeBytes()
    }

    /// `usedBytes`, or what they were after the last commit: receipts only make them less.
    func usedBytesAtMost() throws(SQLiteError) -> Int64 {
        if let usedAfterCommit { return usedAfterCommit }
        return try usedBytes()
    }
}
