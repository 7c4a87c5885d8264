import Delivery
import SQLite
import WireFormat

/// Takes over what can still be read of a damaged database: pending events that are what was
/// written, under their old epoch and sequence; clock anchors; state, but for the pipeline's, which
/// may be older than the events that were lost.
struct QueueSalvage {
    /// Moves the keys of an earlier epoch below those of all later ones.
    static let keyOffset: Int64 = 1 << 40
    private static let rowsPerTransaction = 256
    /// Keys between two damaged places that are tried one by one.
    private static let probeLimit: Int64 = 200_000

    let store: QueueStore
    /// Events that the damaged file counted as pending and that could not be read; nil: its
    /// counters could not be read either.
    private(set) var lost: Int64?
    private(set) var saved: Int64 = 0

    init(into store: QueueStore) {
        self.store = store
    }

    /// Errors of the old file end the reading of one part; errors of the new one are thrown.
    mutating func run(from path: String, _ files: QueueFiles) throws(SQLiteError) {
        if let rows = Self.open(path) { return try run(rows) }
        guard let copy = FrontPage(files: files).repairedCopy(of: path) else { return }
        defer { FrontPage.remove(copy) }
        if let rows = Self.open(copy) { try run(rows) }
    }

    /// Nil where not even the name of its epoch can be read.
    private static func open(_ path: String) -> QueueRows? {
        guard let old = try? Connection(path: path, mode: .readWrite) else { return nil }
        try? old.allowDamage()
        let rows = QueueRows(connection: old)
        return (try? rows.meta("epoch")) ?? nil == nil ? nil : rows
    }

    private mutating func run(_ rows: QueueRows) throws(SQLiteError) {
        let epoch = (try? rows.meta("epoch")) ?? nil
        let counters = (try? rows.counters()).flatMap { $0.isBalanced ? $0 : nil }
        if let epoch { try saveEvents(rows, epoch: epoch) }
        try saveState(rows)
        guard let counters, counters.pending >= saved else {
            return try store.adopt(Counters(enqueued: saved, pending: saved))
        }
        let missing = counters.pending - saved
        lost = missing
        var adopted = counters
        adopted.evicted += missing
        adopted.pending = saved
        adopted.keptAcknowledged = 0
        adopted.deadBytes = 0
        try store.adopt(adopted)
    }

    // MARK: Events

    private mutating func saveEvents(_ rows: QueueRows, epoch: String) throws(SQLiteError) {
        var last = Int64.min
        var batch: [Salvaged] = []
        let ended = try scan(rows, epoch, "key > ? ORDER BY key", from: &last, &batch)
        if !ended {
            var first = Int64.max
            _ = try scan(
                rows, epoch, "key < ? ORDER BY key DESC", from: &first, &batch, downTo: last)
            try probe(rows, epoch, between: last, and: first, &batch)
        }
        try save(&batch)
    }

    /// Reads until the end or the first damage; true: the end was reached.
    private mutating func scan(
        _ rows: QueueRows, _ epoch: String, _ condition: String, from key: inout Int64,
        _ batch: inout [Salvaged], downTo floor: Int64 = .min
    ) throws(SQLiteError) -> Bool {
        while true {
            var page: [Salvaged] = []
            var seen = 0
            let start = key
            let isWhole: Bool
            do {
                try rows.connection.forEach(
                    """
                    SELECT key, status, kind, epoch, sequence, event_id, code, payload, digest,
                        made_at
                    FROM events WHERE \(condition) LIMIT \(Self.rowsPerTransaction)
                    """, values: [start]
                ) { row in
                    seen += 1
                    key = row.int64(0)
                    if key > floor, let salvaged = Salvaged(row, epoch: epoch) {
                        page.append(salvaged)
                    }
                    return key > floor
                }
                isWhole = true
            } catch {
                isWhole = false
            }
            batch += page
            try save(&batch)
            if !isWhole { return false }
            if seen < Self.rowsPerTransaction || (floor != .min && key <= floor) { return true }
        }
    }

    private mutating func probe(
        _ rows: QueueRows, _ epoch: String, between last: Int64, and first: Int64,
        _ batch: inout [Salvaged]
    ) throws(SQLiteError) {
        guard last != .min, first != .max, first > last + 1 else { return }
        let end = first - last > Self.probeLimit ? last + Self.probeLimit : first
        for key in (last + 1)..<end {
            let found = try? rows.connection.first(
                """
                SELECT key, status, kind, epoch, sequence, event_id, code, payload, digest, made_at
                FROM events WHERE key = ?
                """, key, read: { Salvaged($0, epoch: epoch) })
            if let salvaged = found ?? nil { batch.append(salvaged) }
            if batch.count >= Self.rowsPerTransaction { try save(&batch) }
        }
    }

    private mutating func save(_ batch: inout [Salvaged]) throws(SQLiteError) {
        guard !batch.isEmpty else { return }
        let connection = store.connection
        let rows = batch
        try connection.transaction { () throws(SQLiteError) in
            for row in rows {
                try connection.run(
                    """
                    INSERT INTO events(key, kind, epoch, sequence, event_id, digest, made_at,
                        payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """, row.event.key - Self.keyOffset, row.event.kind.rawValue,
                    row.event.position.epoch, row.event.position.sequence, row.id.bytes,
                    row.digest, row.madeAt, row.payload)
            }
        }
        saved += Int64(batch.count)
        batch.removeAll()
    }

    /// A pending row that passed every test.
    private struct Salvaged {
        var event: QueuedEvent
        var id: UUIDBytes
        /// As it lay in its row, of which `digest` is.
        var payload: [UInt8]
        var digest: [UInt8]
        var madeAt: Int64

        init?(_ row: borrowing Row, epoch: String) {
            guard QueueRows.isSound(row), let event = QueueRows.event(row, epoch: epoch),
                event.status == .pending, let id = UUIDBytes(text: event.clientEventID),
                let wire = try? WireCoding.decode(WireEvent.self, from: event.payload),
                wire.clientEventID.text == event.clientEventID,
                wire.queueEpoch == event.position.epoch,
                wire.sequence == event.position.sequence
            else { return nil }
            self.event = event
            self.id = id
            payload = QueueRows.storedPayload(row)
            digest = row.blob(8)
            madeAt = row.int64(9)
        }
    }

    // MARK: State

    private func saveState(_ rows: QueueRows) throws(SQLiteError) {
        var values: [StateKey: [UInt8]?] = [:]
        for key in (try? rows.stateKeys()) ?? [] where key != .pipeline {
            if let value = (try? rows.state(key)) ?? nil { values[key] = value }
        }
        let nothing = QueueStore.Preparation(events: [], arrivals: store.arrivals)
        try store.commit(nothing, state: StateUpdate(values: values))
        for anchor in ((try? rows.clockAnchors()) ?? []).reversed() {
            try store.commit(nothing, state: StateUpdate(clockAnchor: anchor))
        }
    }
}

extension QueueStore {
    /// Puts the counters of what was taken over in the place of those of an empty store.
    func adopt(_ counters: Counters) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in try write(counters) }
        replaceCounters(counters)
    }
}
