import Delivery
import SQLite

/// What became of events, and what is kept of those that are settled.
extension QueueStore {
    func settle(
        _ settlements: [Settlement], state: StateUpdate = .none
    ) throws(SQLiteError) {
        guard !settlements.isEmpty || !state.isEmpty else { return }
        var counters = counters
        var trimmed: Int64 = 0
        try connection.transaction { () throws(SQLiteError) in
            for settlement in settlements { try settle(settlement, &counters) }
            try trimAcknowledged(&counters)
            trimmed = try trimDead(&counters, to: deadLetterLimit)
            try write(state)
            try write(counters)
        }
        replaceCounters(counters)
        trimmedDead += trimmed
        if state.clockAnchor != nil { clockAnchors = try rows.clockAnchors() }
    }

    private func settle(
        _ settlement: Settlement, _ counters: inout Counters
    ) throws(SQLiteError) {
        let id = settlement.clientEventID.map { UUIDBytes(text: $0)?.bytes ?? [] }
        switch settlement.fate {
        case .acknowledged:
            try connection.run(
                """
                UPDATE events SET status = 1
                WHERE key = ? AND status = 0 AND event_id = coalesce(?, event_id)
                """, settlement.key, id)
            let changed = Int64(connection.changes)
            counters.acknowledged += changed
            counters.keptAcknowledged += changed
            counters.pending -= changed
        case .dead(let code):
            try connection.run(
                """
                UPDATE events SET status = 2, code = ?
                WHERE key = ? AND status = 0 AND event_id = coalesce(?, event_id)
                """, code, settlement.key, id)
            guard connection.changes == 1 else { return }
            counters.dead += 1
            counters.pending -= 1
            counters.deadBytes += try payloadBytes(settlement.key)
        }
    }

    private func payloadBytes(_ key: Int64) throws(SQLiteError) -> Int64 {
        try connection.first("SELECT length(payload) FROM events WHERE key = ?", key) {
            $0.int64(0)
        } ?? 0
    }

    /// In lots: every deleted row costs pages of its own.
    private func trimAcknowledged(_ counters: inout Counters) throws(SQLiteError) {
        let excess = counters.keptAcknowledged - StorageLimits.keptAcknowledged
        guard excess >= StorageLimits.keptSlack else { return }
        try deleteAcknowledged(excess, &counters)
    }

    func deleteAcknowledged(
        _ count: Int64, _ counters: inout Counters
    ) throws(SQLiteError) {
        try connection.run(
            """
            DELETE FROM events WHERE key IN
                (SELECT key FROM events WHERE status = 1 ORDER BY key LIMIT ?)
            """, count)
        counters.keptAcknowledged -= Int64(connection.changes)
    }

    /// Lets the next transaction give up the older half of the dead letters, then all; false: there are
    /// none.
    func lowerDeadLetterLimit() -> Bool {
        guard counters.deadBytes > 0, deadLetterLimit > 0 else { return false }
        deadLetterLimit =
            deadLetterLimit < StorageLimits.deadLetterBytes ? 0 : counters.deadBytes / 2
        return true
    }

    /// Deletes the oldest dead letters beyond `limit`; answers how many.
    func trimDead(_ counters: inout Counters, to limit: Int64) throws(SQLiteError) -> Int64 {
        var count: Int64 = 0
        while counters.deadBytes > limit {
            guard
                let oldest = try connection.first(
                    "SELECT key FROM events WHERE status = 2 AND key >= ? ORDER BY key LIMIT 1",
                    lowestTrimmed, read: { $0.int64(0) })
            else { return count }
            counters.deadBytes -= try payloadBytes(oldest)
            try connection.run("DELETE FROM events WHERE key = ?", oldest)
            count += 1
        }
        return count
    }
}
