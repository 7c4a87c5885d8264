import Delivery
import SQLite

/// Handing back to the disk what happened in memory.
extension MemoryFallback {
    /// Writes everything that happened in memory to the disk, in one transaction. Where it fails
    /// after its COMMIT nevertheless, doing it again adds what has come since and nothing twice.
    func handBack(to disk: QueueStore) throws(SQLiteError) {
        let own = try ownEvents()
        let values = try stateValues()
        let settlements = try carriedSettlements()
        let connection = disk.connection
        let returned = Returned(
            epoch: store.epoch, enqueued: store.lastSequence, evicted: store.counters.evicted,
            dead: store.trimmedDead + Int64(own.count { $0.event.status.isDead }),
            pending: own.lazy.map(\.event).filter { $0.status == .pending }.map(\.position.sequence)
        )
        try disk.commit(
            QueueStore.Preparation(
                events: [], arrivals: disk.arrivals.replaced(by: store.arrivals)),
            state: StateUpdate(values: values)
        ) { counters throws(SQLiteError) in
            if let diskPosition, diskPosition.epoch == disk.epoch {
                try disk.withdraw(after: diskPosition.sequence, &counters)
            }
            for settlement in settlements {
                if let status = try apply(settlement, on: connection, &counters), status.isDead {
                    counters.dead += 1
                }
            }
            let before = try Returned(of: store.epoch, storedIn: disk.rows)
            // By their totals: a row that was handed back before may be gone from the disk again.
            counters.enqueued += returned.enqueued - before.enqueued
            counters.evicted += returned.evicted - before.evicted
            counters.dead += returned.dead - before.dead
            let there = before.enqueued > 0 ? try rowsThere(on: connection) : [:]
            // One that waited and is gone was lost with a damaged file, and counted so. What has become
            // of it is known here, and counted above and below.
            let known = Set(there.values.map(\.sequence))
            counters.evicted -= Int64(before.pending.count { !known.contains($0) })
            try write(own, there, after: before.enqueued, on: connection, &counters)
            try remove(there, keeping: own, on: connection, &counters)
            // What is in no row any more (old acknowledged events) was acknowledged.
            counters.acknowledged =
                counters.enqueued - counters.pending - counters.dead - counters.evicted
            for anchor in store.clockAnchors.reversed() { try disk.write(anchor) }
            try connection.run(
                """
                INSERT INTO meta VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, Returned.name, returned.text)
        }
        try disk.reload()
    }

    /// What became of carried events, by their keys on disk.
    func carriedSettlements() throws(SQLiteError) -> [Settlement] {
        var settlements: [Settlement] = []
        for (memoryKey, event) in carried.sorted(by: { $0.key < $1.key }) {
            // A row that is gone was acknowledged: these are kept for a while only. No other event of
            // the disk gives way in memory, dead letters neither (`lowestTrimmed`).
            let row = try store.rows.event(memoryKey, epoch: store.epoch)
            let fate: Settlement.Fate? = row == nil ? .acknowledged : row?.event?.status.fate
            guard let fate else { continue }
            settlements.append(
                Settlement(key: event.key, clientEventID: event.clientEventID, fate: fate))
        }
        return settlements
    }

    /// A row of this store that was handed back before.
    private struct RowThere {
        var key: Int64
        var sequence: Int64
        var status: Int
        var payloadBytes: Int64
    }

    /// By their ids.
    private func rowsThere(
        on connection: Connection
    ) throws(SQLiteError) -> [[UInt8]: RowThere] {
        let rows = try connection.query(
            """
            SELECT key, event_id, status, length(payload), sequence FROM events
            WHERE key < 0 AND epoch = ?
            """, store.epoch
        ) {
            (
                $0.blob(1),
                RowThere(
                    key: $0.int64(0), sequence: $0.int64(4), status: $0.int(2),
                    payloadBytes: $0.int64(3))
            )
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    /// `last` is the greatest number of the events that were handed back before: one of them that is
    /// settled and has no row any more needs none.
    private func write(
        _ own: [OwnEvent], _ there: [[UInt8]: RowThere], after last: Int64,
        on connection: Connection, _ counters: inout Counters
    ) throws(SQLiteError) {
        var next =
            min(0, try connection.first("SELECT min(key) FROM events", read: { $0.int64(0) }) ?? 0)
            - Int64(own.count)
        for row in own {
            let wasHandedBack = row.event.position.sequence <= last
            let fate = row.event.status.fate
            if let key = there[row.id]?.key {
                if let fate {
                    let id = row.event.clientEventID
                    _ = try apply(
                        Settlement(key: key, clientEventID: id, fate: fate), on: connection,
                        &counters)
                }
            } else if !wasHandedBack || fate == nil {
                try insert(row, as: next, into: connection)
                counters.count(row.event.status, payload: row.payload)
            }
            next += 1
        }
    }

    /// What was handed back before and has gone in memory since: events that gave way, and dead
    /// letters.
    private func remove(
        _ there: [[UInt8]: RowThere], keeping own: [OwnEvent], on connection: Connection,
        _ counters: inout Counters
    ) throws(SQLiteError) {
        let kept = Set(own.map(\.id))
        for (id, row) in there where row.status != 1 && !kept.contains(id) {
            try connection.run("DELETE FROM events WHERE key = ?", row.key)
            if row.status == 0 {
                counters.pending -= 1
            } else {
                counters.deadBytes -= row.payloadBytes
            }
        }
    }

    private struct OwnEvent {
        var event: QueuedEvent
        var id: [UInt8]
        var madeAt: Int64
        /// As they lie in its row.
        var payload: [UInt8]
        var digest: [UInt8]
    }

    private func ownEvents() throws(SQLiteError) -> [OwnEvent] {
        try store.connection.query(
            """
            SELECT key, status, kind, epoch, sequence, event_id, code, payload, digest, made_at
            FROM events WHERE epoch IS NULL ORDER BY key
            """
        ) { row in
            QueueRows.event(row, epoch: store.epoch).map {
                OwnEvent(
                    event: $0, id: row.blob(5), madeAt: row.int64(9),
                    payload: QueueRows.storedPayload(row), digest: QueueRows.digest(row))
            }
        }.compactMap { $0 }
    }

    private func insert(
        _ row: OwnEvent, as key: Int64, into connection: Connection
    ) throws(SQLiteError) {
        var status = 0
        var code: String?
        switch row.event.status {
        case .pending: break
        case .acknowledged: status = 1
        case .dead(let reason): (status, code) = (2, reason)
        }
        try connection.run(
            """
            INSERT INTO events(key, status, kind, epoch, sequence, event_id, digest, made_at, code,
                payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, key, status, row.event.kind.rawValue, row.event.position.epoch,
            row.event.position.sequence, row.id, row.digest, row.madeAt, code,
            row.payload)
    }

    /// Nil: it was settled before, or is not there. The file may have been replaced in the meantime:
    /// then the key has moved, and the id tells. The counter of dead letters is left to the caller.
    private func apply(
        _ settlement: Settlement, on connection: Connection, _ counters: inout Counters
    ) throws(SQLiteError) -> QueuedEvent.Status? {
        guard let id = settlement.clientEventID.flatMap({ UUIDBytes(text: $0) }) else { return nil }
        let key = settlement.key
        var status = 1
        var code: String?
        if case .dead(let reason) = settlement.fate { (status, code) = (2, reason) }
        try connection.run(
            """
            UPDATE events SET status = ?, code = ?
            WHERE key IN (?, ?) AND status = 0 AND event_id = ?
            """, status, code, key, key - QueueSalvage.keyOffset, id.bytes)
        guard connection.changes == 1 else { return nil }
        counters.pending -= 1
        guard let code else {
            counters.keptAcknowledged += 1
            return .acknowledged
        }
        counters.deadBytes +=
            try connection.first(
                "SELECT length(payload) FROM events WHERE key IN (?, ?) AND event_id = ?", key,
                key - QueueSalvage.keyOffset, id.bytes
            ) { $0.int64(0) } ?? 0
        return .dead(code: code)
    }

    private func stateValues() throws(SQLiteError) -> [StateKey: [UInt8]?] {
        var values: [StateKey: [UInt8]?] = [:]
        for key in store.removedState { values.updateValue(nil, forKey: key) }
        for key in try store.rows.stateKeys() { values[key] = try store.rows.state(key) }
        return values
    }
}

extension QueuedEvent.Status {
    fileprivate var isDead: Bool {
        if case .dead = self { return true }
        return false
    }

    /// Nil while it is pending.
    fileprivate var fate: Settlement.Fate? {
        switch self {
        case .pending: nil
        case .acknowledged: .acknowledged
        case .dead(let code): .dead(code: code)
        }
    }
}

extension Counters {
    /// Takes in a row that was added; `acknowledged` is what is left over, `dead` a total.
    fileprivate mutating func count(_ status: QueuedEvent.Status, payload: [UInt8]) {
        switch status {
        case .pending: pending += 1
        case .acknowledged: keptAcknowledged += 1
        case .dead: deadBytes += Int64(payload.count)
        }
    }
}
