import Delivery
import SQLite

/// A store in memory that takes over while the disk accepts nothing, and hands back when it does.
struct MemoryFallback {
    let store: QueueStore
    /// The events that were carried over, by their key in memory.
    var carried: [Int64: Carried] = [:]
    /// The last event of the disk that was looked at, and the next key in memory.
    private var lastKey = Int64.min
    private var nextKey: Int64 = -1 << 32
    /// Keys on the disk of what was carried over, has arrived and was forgotten in memory, so that more
    /// could be carried over.
    var delivered: [Int64] = []

    struct Carried {
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
        _ = try carryEvents(
            from: disk, epoch: epoch, atMost: StorageLimits.carriedEvents, upTo: .max)
    }

    /// Answers how many; `last` is the greatest key on the disk that may be carried over.
    mutating func carryEvents(
        from disk: QueueRows, epoch: String, atMost limit: Int, upTo last: Int64
    ) throws(SQLiteError) -> Int {
        var events: [(event: QueuedEvent, payload: [UInt8], digest: [UInt8])] = []
        var lastKey = lastKey
        try? disk.forEachPending(from: lastKey == .min ? .min : lastKey + 1) { row in
            guard QueueRows.key(row) <= last else { return false }
            lastKey = QueueRows.key(row)
            if QueueRows.isSound(row, epoch: epoch),
                let event = QueueRows.event(row, epoch: epoch),
                // What was handed back from here is here still, whatever the disk said of it.
                event.position.epoch != store.epoch
            {
                events.append((event, QueueRows.storedPayload(row), QueueRows.digest(row)))
            }
            return events.count < limit
        }
        let connection = store.connection
        var keys: [Int64: Carried] = [:]
        try connection.transaction { () throws(SQLiteError) in
            for (offset, (event, payload, digest)) in events.enumerated() {
                guard let id = UUIDBytes(text: event.clientEventID) else { continue }
                let key = nextKey + Int64(offset)
                try connection.run(
                    """
                    INSERT INTO events(key, kind, epoch, sequence, event_id, digest, made_at,
                        payload) VALUES (?, ?, ?, ?, ?, ?, 0, ?)
                    """, key, event.kind.rawValue, event.position.epoch, event.position.sequence,
                    id.bytes, digest, payload)
                keys[key] = Carried(key: event.key, clientEventID: event.clientEventID)
            }
        }
        carried.merge(keys) { $1 }
        self.lastKey = lastKey
        nextKey += Int64(events.count)
        // The disk must learn that they were refused; they are bounded by their number.
        store.lowestTrimmed = 0
        var counters = store.counters
        counters.enqueued += Int64(keys.count)
        counters.pending += Int64(keys.count)
        try store.adopt(counters)
        store.lookForPendingAgain()
        return keys.count
    }

    /// How many pending events of its own are in memory.
    var ownPending: Int64 {
        let count = try? store.connection.first(
            "SELECT count(*) FROM events WHERE status = 0 AND epoch IS NULL", read: { $0.int64(0) })
        return (count ?? nil) ?? 0
    }
}
