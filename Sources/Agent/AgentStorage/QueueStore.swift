import Cryptography
import Delivery
import SQLite

/// One database of the queue, on disk or in memory, and what is remembered of it.
///
/// Every method that writes is one transaction. What is remembered (`lastSequence`, `counters`,
/// `arrivals`) is replaced only after its COMMIT has returned.
final class QueueStore {
    let connection: Connection
    let rows: QueueRows
    /// Of one new event, and of a lot of them: to run a statement costs as much as to insert a row.
    private let insertion: PreparedStatement
    private let lotInsertion: PreparedStatement
    let deviceID: String
    let epoch: String
    /// The epoch that this one follows since the file was opened: it was another device's, or is a copy.
    var previousEpoch: String?
    private(set) var lastSequence: Int64
    private(set) var counters: Counters
    private(set) var arrivals: Arrivals
    var clockAnchors: [ClockAnchor]
    /// Bytes that the values of `state` take; what a rolled back transaction leaves wrong here costs
    /// one longer write.
    private var stateRooms: [StateKey: Int] = [:]
    /// Asked for within the transaction, which needs no lock for it; nil: not known.
    private(set) var usedAfterCommit: Int64?
    /// Values that were removed since the store was opened, and not written again.
    private(set) var removedState: Set<StateKey> = []
    /// Dead letters with smaller keys are kept, whatever they take.
    var lowestTrimmed: Int64 = .min
    /// Dead letters that were deleted since the store was opened, so that newer ones have room.
    var trimmedDead: Int64 = 0
    /// What dead letters may take, bytes of payload: less while there is no room for an operation.
    var deadLetterLimit = StorageLimits.deadLetterBytes
    /// No pending event has a smaller key.
    var lowestPending: Int64 = .min

    /// Takes a database whose tables and epoch exist.
    init(_ connection: Connection, deviceID: String, epoch: String) throws(SQLiteError) {
        self.connection = connection
        self.deviceID = deviceID
        self.epoch = epoch
        rows = QueueRows(connection: connection)
        insertion = try EventRows.insertion(1, on: connection)
        lotInsertion = try EventRows.insertion(Self.insertionLot, on: connection)
        lastSequence = try rows.lastSequence()
        counters = try rows.counters()
        arrivals = Arrivals(stored: try rows.arrivals())
        clockAnchors = try rows.clockAnchors()
    }

    // MARK: Commit

    /// Names the drafts as the next events of the epoch, and makes their rows.
    func prepare(_ drafts: [EventDraft]) throws(QueueError) -> Preparation {
        var made = Preparation(events: [], arrivals: arrivals)
        made.events.reserveCapacity(drafts.count)
        made.rows.reserveCapacity(drafts.count)
        for draft in drafts {
            let position = QueuePosition(
                epoch: epoch, sequence: lastSequence + Int64(made.events.count) + 1)
            do {
                let id = try EventIdentity.event(
                    deviceID: deviceID, position: position, bootID: draft.bootID)
                let visit = try made.arrivals.visit(of: draft, id: id, deviceID: deviceID)
                var event = Event(
                    clientEventID: id.text, position: position, visitID: visit?.text,
                    content: draft)
                try made.rows.append(&event, id: id)
                made.events.append(consume event)
            } catch let error as QueueError {
                throw error
            } catch {
                throw .storage(path: connection.path, detail: "\(error)")
            }
        }
        made.arrivals.finishCommit()
        return made
    }

    /// Events that have been named but not yet written.
    struct Preparation {
        var events: [Event]
        /// Of each of `events`.
        var rows = EventRows()
        var arrivals: Arrivals
    }

    /// Writes events and state; `evictions`, and what `first` does, go in the same transaction.
    func commit(
        _ preparation: Preparation, state: StateUpdate, evicting evictions: [Eviction] = [],
        first: (inout Counters) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) {
        var counters = counters
        var used: Int64?
        var trimmed: Int64 = 0
        try connection.transaction { () throws(SQLiteError) in
            try first(&counters)
            if deadLetterLimit < StorageLimits.deadLetterBytes {
                trimmed = try trimDead(&counters, to: deadLetterLimit)
            }
            for eviction in evictions { try delete(eviction, &counters) }
            try preparation.rows.insert(
                insertion, lotInsertion, of: Self.insertionLot, on: connection)
            counters.enqueued += Int64(preparation.events.count)
            counters.pending += Int64(preparation.events.count)
            try write(state)
            try write(preparation.arrivals)
            try write(counters)
            used = try usedBytes()
        }
        usedAfterCommit = used
        self.counters = counters
        trimmedDead += trimmed
        lastSequence += Int64(preparation.events.count)
        arrivals = preparation.arrivals
        arrivals.stored()
        if state.clockAnchor != nil { clockAnchors = try rows.clockAnchors() }
    }

    /// Events that one statement inserts.
    private static let insertionLot = 10

    func write(_ state: StateUpdate) throws(SQLiteError) {
        for (key, value) in state.values { try write(value, for: key) }
        if let anchor = state.clockAnchor { try write(anchor) }
    }

    private func write(_ value: [UInt8]?, for key: StateKey) throws(SQLiteError) {
        guard let value else {
            removedState.insert(key)
            return try connection.run("DELETE FROM state WHERE name = ?", key.rawValue)
        }
        let row = StateRow(value, replacing: stateRooms[key])
        try connection.run(
            """
            INSERT INTO state(name, digest, value) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, value = excluded.value
            """, key.rawValue, row.digest, row.stored)
        stateRooms[key] = row.stored.count
    }

    func write(_ anchor: ClockAnchor) throws(SQLiteError) {
        try connection.run(
            """
            INSERT INTO clock_anchors(boot_id, number, mono_ms, utc_ms, source)
            VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM clock_anchors), ?, ?, ?)
            ON CONFLICT (boot_id) DO UPDATE SET
                mono_ms = excluded.mono_ms, utc_ms = excluded.utc_ms, source = excluded.source
            """, anchor.bootID.text, anchor.uptime.milliseconds, anchor.utc.millisecondsSince1970,
            anchor.source.rawValue)
        try connection.run(
            """
            DELETE FROM clock_anchors WHERE number <=
                (SELECT max(number) FROM clock_anchors) - ?
            """, StorageLimits.clockAnchors)
    }

    private func write(_ arrivals: Arrivals) throws(SQLiteError) {
        for fence in arrivals.changed {
            guard let visit = arrivals.visits[fence] else {
                try connection.run("DELETE FROM arrivals WHERE fence_id = ?", fence)
                continue
            }
            try connection.run(
                """
                INSERT INTO arrivals VALUES (?, ?)
                ON CONFLICT (fence_id) DO UPDATE SET visit_id = excluded.visit_id
                """, fence, visit.bytes)
        }
    }

    /// Deletes the events after `sequence`: a commit of which nobody was told, since it failed when it
    /// was in the log already, and whose events are in memory under other numbers. What tells of
    /// losses stays, for these have happened; it comes first in its commit, so no gap is left.
    func withdraw(after sequence: Int64, _ counters: inout Counters) throws(SQLiteError) {
        guard lastSequence > sequence else { return }
        try connection.run(
            """
            DELETE FROM events WHERE key > ? AND status = 0
                AND kind NOT IN ('queue_evicted', 'state_reset')
            """, sequence)
        let withdrawn = Int64(connection.changes)
        counters.enqueued -= withdrawn
        counters.pending -= withdrawn
        try connection.run(
            """
            UPDATE sqlite_sequence SET seq = max(?, (SELECT coalesce(max(key), 0) FROM events))
            WHERE name = 'events'
            """, sequence)
    }

    /// After something was written by another way than `commit`.
    func reload() throws(SQLiteError) {
        lastSequence = try rows.lastSequence()
        clockAnchors = try rows.clockAnchors()
    }

    func write(_ counters: Counters) throws(SQLiteError) {
        guard counters != self.counters else { return }
        try connection.run(
            """
            UPDATE counters SET enqueued = ?, acknowledged = ?, pending = ?, dead = ?,
                evicted = ?, kept_acknowledged = ?, dead_bytes = ?
            """, counters.enqueued, counters.acknowledged, counters.pending, counters.dead,
            counters.evicted, counters.keptAcknowledged, counters.deadBytes)
    }

    /// What was written to the counters by another transaction of this store.
    func replaceCounters(_ counters: Counters) {
        self.counters = counters
    }
}
