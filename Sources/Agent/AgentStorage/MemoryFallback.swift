import Delivery
import SQLite

/// A store in memory that takes over while the disk accepts nothing, and hands back when it does.
struct MemoryFallback {
    let store: QueueStore
    /// Keys on disk of the events that were carried over, by their key in memory.
    private var carried: [Int64: Int64] = [:]

    /// Carries over what can be read of `disk`: state, visits, and the oldest pending events.
    init(_ store: QueueStore, from disk: QueueRows?, epoch: String?) throws(SQLiteError) {
        self.store = store
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
        var keys: [Int64: Int64] = [:]
        try connection.transaction { () throws(SQLiteError) in
            for (offset, event) in events.enumerated() {
                guard let id = UUIDBytes(text: event.clientEventID) else { continue }
                let key = Int64(offset - events.count)
                try connection.run(
                    """
                    INSERT INTO events(key, kind, epoch, sequence, event_id, digest, made_at,
                        payload) VALUES (?, ?, ?, ?, ?, ?, 0, ?)
                    """, key, event.kind.rawValue, event.position.epoch, event.position.sequence,
                    id.bytes, Digest.of(event.payload), event.payload)
                keys[key] = event.key
            }
        }
        carried = keys
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

    /// Writes everything that happened in memory to the disk, in one transaction.
    func handBack(to disk: QueueStore) throws(SQLiteError) {
        let own = try ownEvents()
        let values = try stateValues()
        let fates = try carriedFates()
        let ownCounters = try counters(ofOwn: own)
        let connection = disk.connection
        let lowest = min(
            0, try connection.first("SELECT min(key) FROM events", read: { $0.int64(0) }) ?? 0)
        try disk.commit(
            QueueStore.Preparation(
                events: [], arrivals: disk.arrivals.replaced(by: store.arrivals)),
            state: StateUpdate(values: values)
        ) { counters throws(SQLiteError) in
            for (key, event) in fates { try apply(event, to: key, on: connection, &counters) }
            for (offset, row) in own.enumerated() {
                try insert(
                    row, as: lowest - Int64(own.count) + Int64(offset), into: connection)
            }
            counters.add(ownCounters)
        }
        for anchor in store.clockAnchors.reversed() {
            try disk.commit(
                QueueStore.Preparation(events: [], arrivals: disk.arrivals),
                state: StateUpdate(clockAnchor: anchor))
        }
    }

    private struct OwnEvent {
        var event: QueuedEvent
        var id: [UInt8]
        var madeAt: Int64
    }

    private func ownEvents() throws(SQLiteError) -> [OwnEvent] {
        try store.connection.query(
            """
            SELECT key, status, kind, epoch, sequence, event_id, code, payload, digest, made_at
            FROM events WHERE epoch IS NULL ORDER BY key
            """
        ) { row in
            QueueRows.event(row, epoch: store.epoch).map {
                OwnEvent(event: $0, id: row.blob(5), madeAt: row.int64(9))
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
            row.event.position.sequence, row.id, Digest.of(row.event.payload), row.madeAt, code,
            row.event.payload)
    }

    /// What is in no row any more (old acknowledged events) was acknowledged.
    private func counters(ofOwn own: [OwnEvent]) throws(SQLiteError) -> Counters {
        var result = Counters(enqueued: store.lastSequence, evicted: store.counters.evicted)
        for row in own {
            switch row.event.status {
            case .pending: result.pending += 1
            case .acknowledged: result.keptAcknowledged += 1
            case .dead:
                result.dead += 1
                result.deadBytes += Int64(row.event.payload.count)
            }
        }
        result.acknowledged = result.enqueued - result.pending - result.dead - result.evicted
        return result
    }

    private func carriedFates() throws(SQLiteError) -> [(key: Int64, QueuedEvent)] {
        var fates: [(key: Int64, QueuedEvent)] = []
        for (memoryKey, diskKey) in carried.sorted(by: { $0.key < $1.key }) {
            if let event = try store.rows.event(memoryKey, epoch: store.epoch),
                event.status != .pending
            {
                fates.append((diskKey, event))
            }
        }
        return fates
    }

    /// The id is compared too: the file may have been replaced in the meantime.
    private func apply(
        _ event: QueuedEvent, to key: Int64, on connection: Connection,
        _ counters: inout Counters
    ) throws(SQLiteError) {
        guard let id = UUIDBytes(text: event.clientEventID) else { return }
        var status = 1
        var code: String?
        if case .dead(let reason) = event.status { (status, code) = (2, reason) }
        try connection.run(
            """
            UPDATE events SET status = ?, code = ? WHERE key = ? AND status = 0 AND event_id = ?
            """, status, code, key, id.bytes)
        guard connection.changes == 1 else { return }
        counters.pending -= 1
        if status == 1 {
            counters.acknowledged += 1
            counters.keptAcknowledged += 1
        } else {
            counters.dead += 1
            counters.deadBytes += Int64(event.payload.count)
        }
    }

    private func stateValues() throws(SQLiteError) -> [StateKey: [UInt8]?] {
        var values: [StateKey: [UInt8]?] = [:]
        for key in try store.rows.stateKeys() { values[key] = try store.rows.state(key) }
        return values
    }
}

extension Counters {
    fileprivate mutating func add(_ other: Counters) {
        enqueued += other.enqueued
        acknowledged += other.acknowledged
        pending += other.pending
        dead += other.dead
        evicted += other.evicted
        keptAcknowledged += other.keptAcknowledged
        deadBytes += other.deadBytes
    }
}
