import Delivery
import SQLite

/// A store in memory that takes over while the disk accepts nothing, and hands back when it does.
struct MemoryFallback {
    let store: QueueStore
    /// The events that were carried over, by their key in memory.
    private var carried: [Int64: Carried] = [:]

    private struct Carried {
        /// On the disk.
        var key: Int64
        var clientEventID: String
    }

    /// How far the disk's own epoch has come; nil: not known.
    let diskPosition: QueuePosition?

    /// Carries over what can be read of `disk`: state, visits, and the oldest pending events.
    init(
        _ store: QueueStore, from disk: QueueRows?, epoch: String?, lastSequence: Int64?
    ) throws(SQLiteError) {
        self.store = store
        diskPosition = epoch.flatMap { epoch in
            lastSequence.map { QueuePosition(epoch: epoch, sequence: $0) }
        }
        guard let disk, let epoch else { return }
        var values: [StateKey: [UInt8]?] = [:]
        for key in (try? disk.stateKeys()) ?? [] {
            if let value = (try? disk.state(key)) ?? nil { values[key] = value }
        }
        let visits = Arrivals(carrying: (try? disk.arrivals()) ?? [:])
        let nothing = QueueStore.Preparation(events: [], arrivals: visits)
        try store.commit(nothing, state: StateUpdate(values: values))
        for anchor in ((try? disk.clockAnchors()) ?? []).reversed() {
            try store.commit(
                QueueStore.Preparation(events: [], arrivals: store.arrivals),
                state: StateUpdate(clockAnchor: anchor))
        }
        try carryEvents(from: disk, epoch: epoch)
    }

    private mutating func carryEvents(from disk: QueueRows, epoch: String) throws(SQLiteError) {
        var events: [QueuedEvent] = []
        try? disk.forEachPending(from: .min) { row in
            if QueueRows.isSound(row), let event = QueueRows.event(row, epoch: epoch) {
                events.append(event)
            }
            return events.count < StorageLimits.carriedEvents
        }
        let connection = store.connection
        var keys: [Int64: Carried] = [:]
        try connection.transaction { () throws(SQLiteError) in
            for (offset, event) in events.enumerated() {
                guard let id = UUIDBytes(text: event.clientEventID) else { continue }
                let key = Int64(offset - events.count)
                let payload = PackedPayload.pack(event.payload)
                try connection.run(
                    """
                    INSERT INTO events(key, kind, epoch, sequence, event_id, digest, made_at,
                        payload) VALUES (?, ?, ?, ?, ?, ?, 0, ?)
                    """, key, event.kind.rawValue, event.position.epoch, event.position.sequence,
                    id.bytes, Digest.of(payload), payload)
                keys[key] = Carried(key: event.key, clientEventID: event.clientEventID)
            }
        }
        carried = keys
        // The disk must learn that they were refused; they are bounded by their number.
        store.lowestTrimmed = 0
        var counters = store.counters
        counters.enqueued += Int64(keys.count)
        counters.pending += Int64(keys.count)
        try store.adopt(counters)
    }

    /// How many pending events of its own are in memory.
    var ownPending: Int64 {
        let count = try? store.connection.first(
            "SELECT count(*) FROM events WHERE status = 0 AND epoch IS NULL", read: { $0.int64(0) })
        return (count ?? nil) ?? 0
    }

    // MARK: Handing back

    /// Writes everything that happened in memory to the disk, in one transaction. Where it fails
    /// after its COMMIT nevertheless, doing it again adds what has come since and nothing twice.
    func handBack(to disk: QueueStore) throws(SQLiteError) {
        let own = try ownEvents()
        let values = try stateValues()
        let settlements = try carriedSettlements()
        let connection = disk.connection
        let returned = Returned(
            epoch: store.epoch, enqueued: store.lastSequence, evicted: store.counters.evicted,
            trimmedDead: store.trimmedDead)
        try disk.commit(
            QueueStore.Preparation(
                events: [], arrivals: disk.arrivals.replaced(by: store.arrivals)),
            state: StateUpdate(values: values)
        ) { counters throws(SQLiteError) in
            if let diskPosition, diskPosition.epoch == disk.epoch {
                try disk.withdraw(after: diskPosition.sequence, &counters)
            }
            for settlement in settlements { try apply(settlement, on: connection, &counters) }
            let before = try disk.rows.meta(Returned.name).flatMap(Returned.init)
            let known = before?.epoch == store.epoch ? before : nil
            counters.enqueued += returned.enqueued - (known?.enqueued ?? 0)
            counters.evicted += returned.evicted - (known?.evicted ?? 0)
            counters.dead += returned.trimmedDead - (known?.trimmedDead ?? 0)
            try write(own, knownBefore: known != nil, on: connection, &counters)
            if known != nil { try removeGone(keeping: own, on: connection, &counters) }
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

    /// How much of which store in memory the disk has got.
    private struct Returned {
        static let name = "returned"
        var epoch: String
        var enqueued: Int64
        var evicted: Int64
        /// Dead letters that memory has no row of any more.
        var trimmedDead: Int64

        init(epoch: String, enqueued: Int64, evicted: Int64, trimmedDead: Int64) {
            self.epoch = epoch
            self.enqueued = enqueued
            self.evicted = evicted
            self.trimmedDead = trimmedDead
        }

        init?(_ text: String) {
            let parts = text.split(separator: " ")
            guard parts.count == 4, let enqueued = Int64(parts[1]), let evicted = Int64(parts[2]),
                let trimmedDead = Int64(parts[3])
            else { return nil }
            self.init(
                epoch: String(parts[0]), enqueued: enqueued, evicted: evicted,
                trimmedDead: trimmedDead)
        }

        var text: String { "\(epoch) \(enqueued) \(evicted) \(trimmedDead)" }
    }

    private func write(
        _ own: [OwnEvent], knownBefore: Bool, on connection: Connection,
        _ counters: inout Counters
    ) throws(SQLiteError) {
        var next =
            min(0, try connection.first("SELECT min(key) FROM events", read: { $0.int64(0) }) ?? 0)
            - Int64(own.count)
        for row in own {
            let key =
                knownBefore
                ? try connection.first(
                    "SELECT key FROM events WHERE key < 0 AND event_id = ?", row.id,
                    read: { $0.int64(0) }) : nil
            if let key {
                if let fate = row.event.status.fate {
                    let id = row.event.clientEventID
                    try apply(
                        Settlement(key: key, clientEventID: id, fate: fate), on: connection,
                        &counters)
                }
            } else {
                try insert(row, as: next, into: connection)
                counters.count(row.event.status, payload: row.payload)
            }
            next += 1
        }
    }

    /// What was handed back before and has gone in memory since: events that gave way, and dead
    /// letters, which are counted among those without a row then.
    private func removeGone(
        keeping own: [OwnEvent], on connection: Connection, _ counters: inout Counters
    ) throws(SQLiteError) {
        let kept = Set(own.map(\.id))
        let there = try connection.query(
            """
            SELECT key, event_id, status, length(payload) FROM events
            WHERE key < 0 AND status IN (0, 2) AND epoch = ?
            """, store.epoch
        ) { (key: $0.int64(0), id: $0.blob(1), isDead: $0.int(2) == 2, bytes: $0.int64(3)) }
        for row in there where !kept.contains(row.id) {
            try connection.run("DELETE FROM events WHERE key = ?", row.key)
            if row.isDead {
                counters.dead -= 1
                counters.deadBytes -= row.bytes
            } else {
                counters.pending -= 1
            }
        }
    }

    private struct OwnEvent {
        var event: QueuedEvent
        var id: [UInt8]
        var madeAt: Int64
        /// As it lies in its row.
        var payload: [UInt8]
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
                    payload: QueueRows.storedPayload(row))
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
            row.event.position.sequence, row.id, Digest.of(row.payload), row.madeAt, code,
            row.payload)
    }

    /// The file may have been replaced in the meantime: then the key has moved, and the id tells.
    private func apply(
        _ settlement: Settlement, on connection: Connection, _ counters: inout Counters
    ) throws(SQLiteError) {
        guard let id = settlement.clientEventID.flatMap({ UUIDBytes(text: $0) }) else { return }
        let key = settlement.key
        var status = 1
        var code: String?
        if case .dead(let reason) = settlement.fate { (status, code) = (2, reason) }
        try connection.run(
            """
            UPDATE events SET status = ?, code = ?
            WHERE key IN (?, ?) AND status = 0 AND event_id = ?
            """, status, code, key, key - QueueSalvage.keyOffset, id.bytes)
        guard connection.changes == 1 else { return }
        counters.pending -= 1
        if status == 1 {
            counters.keptAcknowledged += 1
        } else {
            counters.dead += 1
            counters.deadBytes +=
                try connection.first(
                    "SELECT length(payload) FROM events WHERE key IN (?, ?) AND event_id = ?", key,
                    key - QueueSalvage.keyOffset, id.bytes
                ) { $0.int64(0) } ?? 0
        }
    }

    private func stateValues() throws(SQLiteError) -> [StateKey: [UInt8]?] {
        var values: [StateKey: [UInt8]?] = [:]
        for key in store.removedState { values.updateValue(nil, forKey: key) }
        for key in try store.rows.stateKeys() { values[key] = try store.rows.state(key) }
        return values
    }
}

extension QueuedEvent.Status {
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
    /// Takes in a row that was added; `acknowledged` is what is left over.
    fileprivate mutating func count(_ status: QueuedEvent.Status, payload: [UInt8]) {
        switch status {
        case .pending: pending += 1
        case .acknowledged: keptAcknowledged += 1
        case .dead:
            dead += 1
            deadBytes += Int64(payload.count)
        }
    }
}
