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
    /// Tries to find what can be read below a damaged place: so many in all, each of another key,
    /// and so many in a row.
    private static let probeLimit = 200_000
    private static let probesInARow = 16_384
    /// Below zero, where fewer follow one another: what was handed back from memory.
    private static let foreignProbesInARow = 1024

    let store: QueueStore
    /// Events that the damaged file counted as pending and that could not be read; nil: its
    /// counters could not be read either.
    private(set) var lost: Int64?
    private(set) var saved: Int64 = 0
    private var probes = 0
    private var observe: () -> Void = {}

    init(into store: QueueStore) {
        self.store = store
    }

    /// What is damaged in the old file ends the reading of one part. Errors of the new one are
    /// thrown, and those of the old one that another time may not be there: then nothing is lost
    /// that could have been read. `observe` is told of each transaction.
    mutating func run(from files: QueueFiles, observe: @escaping () -> Void = {}) throws {
        self.observe = observe
        guard files.hasRoomForIndex else {
            throw QueueOpening.Failure.unavailable("no room for the index of the log", isFull: true)
        }
        // SQLite would delete the log of an empty file.
        let marked = files.markedEpoch
        if try QueueFiles.size(of: files.database) > 0,
            let rows = try Self.open(files.database, marked)
        {
            return try run(rows, marked)
        }
        for hasLog in [true, false] {
            defer { QueueFiles.remove(files.front) }
            guard try FrontPage(files: files).makeCopy(withLog: hasLog) else { continue }
            if let rows = try Self.open(files.front, marked) { return try run(rows, marked) }
        }
    }

    /// Nil where nothing can be read: not even the epoch, or, where that is `marked` beside the file, the
    /// last number.
    private static func open(_ path: String, _ marked: String?) throws -> QueueRows? {
        try readable {
            let old = try Connection(path: path, mode: .readWrite)
            // It stays as it is until it is replaced.
            old.setCheckpointOnClose(false)
            try old.allowDamage()
            let rows = QueueRows(connection: old)
            if try readable({ try rows.meta("epoch") }) ?? nil != nil { return rows }
            _ = try rows.lastSequence()
            return marked == nil ? nil : rows
        } ?? nil
    }

    /// Nil where the old file is damaged there.
    private static func readable<Result>(_ read: () throws -> Result) throws -> Result? {
        do {
            return try read()
        } catch let error as SQLiteError {
            guard case .damaged = QueueOpening.Failure(error) else { throw error }
            return nil
        }
    }

    /// `marked` is the epoch that stands beside the file. The digest of an event knows which one is true.
    private mutating func run(_ rows: QueueRows, _ marked: String?) throws {
        let epoch = try Self.readable { try rows.meta("epoch") } ?? nil
        let epochs = [epoch, marked == epoch ? nil : marked].compactMap { $0 }
        let counters = try Self.readable { try rows.counters() }
            .flatMap { $0.isBalanced ? $0 : nil }
        try saveEvents(rows, epochs)
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
        // What the counters hold of the store in memory must not be handed back again.
        let name = MemoryFallback.Returned.name
        if let returned = try Self.readable({ try rows.meta(name) }) ?? nil {
            try store.connection.run("INSERT INTO meta VALUES (?, ?)", name, returned)
        }
    }

    // MARK: Events

    /// Upwards to the first damage, then downwards from the end, around each damaged place.
    private mutating func saveEvents(_ rows: QueueRows, _ epochs: [String]) throws {
        var last = Int64.min
        while true {
            let page = try page(rows, epochs, "key > ? AND key < ? ORDER BY key", last, .max)
            last = page.end ?? last
            if page.isLast { return }
            if !page.isWhole { break }
        }
        // From a key on, itself included: looking for what is below one would touch its page, too.
        var start = Int64.max
        var failures = 0
        while start > last {
            let page = try page(
                rows, epochs, "key <= ? AND key > ? ORDER BY key DESC", start, last)
            if page.isLast { return }
            if let end = page.end {
                guard end > last + 1 else { return }
                (start, failures) = (end - 1, 0)
            }
            if page.isWhole { continue }
            if page.end == nil {
                failures += 1
                guard let next = try next(below: start, downTo: last, failures, rows) else {
                    return
                }
                start = next
            }
        }
    }

    /// Where to read on below a damaged place: at the next key, and after many of them in vain at the
    /// next one that is found by doubling the distance; nil: nowhere.
    private mutating func next(
        below start: Int64, downTo floor: Int64, _ failures: Int, _ rows: QueueRows
    ) throws -> Int64? {
        probes += 1
        guard probes < 2 * Self.probeLimit else { return nil }
        if start == .max {
            let greatest = try Self.readable { try rows.lastSequence() } ?? 0
            if greatest > floor, greatest < .max { return greatest }
        } else if failures < (start > 0 ? Self.probesInARow : Self.foreignProbesInARow),
            probes < Self.probeLimit
        {
            return start - 1
        }
        var (bad, distance) = (start, Int64(1))
        while true {
            let (good, isTooFar) = start.subtractingReportingOverflow(distance)
            guard !isTooFar, good > floor else { return nil }
            if try canRead(rows, from: good) { return try edge(rows, good, bad) }
            bad = good
            let (doubled, isTooMuch) = distance.multipliedReportingOverflow(by: 2)
            guard !isTooMuch else { return nil }
            distance = doubled
        }
    }

    /// The greatest key from `good` on that can be read from, `bad` being one that cannot.
    private func edge(_ rows: QueueRows, _ good: Int64, _ bad: Int64) throws -> Int64 {
        var (good, bad) = (good, bad)
        while good < bad - 1 {
            let middle = good / 2 + bad / 2 + (good % 2 + bad % 2) / 2
            let next = middle > good && middle < bad ? middle : good + 1
            if try canRead(rows, from: next) { good = next } else { bad = next }
        }
        return good
    }

    private func canRead(_ rows: QueueRows, from key: Int64) throws -> Bool {
        try Self.readable {
            try rows.connection.first(
                "SELECT key FROM events WHERE key <= ? ORDER BY key DESC LIMIT 1", key,
                read: { $0.int64(0) })
        } != nil
    }

    private struct Page {
        /// The key of the last row that was read; nil: none was.
        var end: Int64?
        /// Not cut short by damage.
        var isWhole: Bool
        /// There are no rows after it.
        var isLast: Bool
    }

    /// Reads and saves the next rows from `start` in the direction of `limit`.
    private mutating func page(
        _ rows: QueueRows, _ epochs: [String], _ condition: String, _ start: Int64, _ limit: Int64
    ) throws -> Page {
        var page = Page(end: nil, isWhole: false, isLast: false)
        var found: [Salvaged] = []
        var seen = 0
        var isInOrder = true
        let isUpwards = start < limit
        let isWhole: Void? = try Self.readable {
            try rows.connection.forEach(
                """
                SELECT key, status, kind, epoch, sequence, event_id, code, payload, digest, made_at
                FROM events WHERE \(condition) LIMIT \(Self.rowsPerTransaction)
                """, values: [start, limit]
            ) { row in
                let key = row.int64(0)
                // A key that is out of order is damage, too, and must not lead in a circle.
                isInOrder =
                    page.end.map { isUpwards ? key > $0 : key < $0 }
                    ?? (isUpwards ? key > start : key <= start)
                guard isInOrder else { return false }
                seen += 1
                page.end = key
                for epoch in epochs {
                    guard let salvaged = Salvaged(row, epoch: epoch) else { continue }
                    found.append(salvaged)
                    break
                }
                return true
            }
        }
        page.isWhole = isWhole != nil && isInOrder
        page.isLast = page.isWhole && seen < Self.rowsPerTransaction
        try save(found)
        return page
    }

    private mutating func save(_ found: [Salvaged]) throws(SQLiteError) {
        guard !found.isEmpty else { return }
        let connection = store.connection
        var count: Int64 = 0
        try connection.transaction { () throws(SQLiteError) in
            for row in found {
                // A damaged key may be that of another row.
                try connection.run(
                    """
                    INSERT OR IGNORE INTO events(key, kind, epoch, sequence, event_id, digest,
                        made_at, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """, row.event.key - Self.keyOffset, row.event.kind.rawValue,
                    row.event.position.epoch, row.event.position.sequence, row.id.bytes,
                    row.digest, row.madeAt, row.payload)
                count += Int64(connection.changes)
            }
        }
        saved += count
        observe()
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
            guard QueueRows.isSound(row, epoch: epoch),
                let event = QueueRows.event(row, epoch: epoch), event.status == .pending,
                let id = UUIDBytes(text: event.clientEventID),
                let wire = try? WireCoding.decode(WireEvent.self, from: event.payload),
                wire.clientEventID.text == event.clientEventID,
                wire.queueEpoch == event.position.epoch,
                wire.sequence == event.position.sequence
            else { return nil }
            self.event = event
            self.id = id
            payload = QueueRows.storedPayload(row)
            digest = QueueRows.digest(row)
            madeAt = row.int64(9)
        }
    }

    // MARK: State

    private func saveState(_ rows: QueueRows) throws {
        var values: [StateKey: [UInt8]?] = [:]
        for key in try Self.readable({ try rows.stateKeys() }) ?? [] where key != .pipeline {
            if let value = try Self.readable({ try rows.state(key) }) ?? nil { values[key] = value }
        }
        let nothing = QueueStore.Preparation(events: [], arrivals: store.arrivals)
        try store.commit(nothing, state: StateUpdate(values: values))
        for anchor in (try Self.readable { try rows.clockAnchors() } ?? []).reversed() {
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
