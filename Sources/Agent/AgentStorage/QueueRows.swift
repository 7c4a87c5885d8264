import Cryptography
import Delivery
import SQLite
import Timekeeping

/// Reading the queue's tables, for the queue and for those who only look.
struct QueueRows {
    let connection: Connection

    /// In the order in which they are read here.
    static let columns =
        "key, status, kind, epoch, sequence, event_id, code, payload, digest"

    // MARK: Events

    /// Pending events in the order of their keys from `lowest` on; `visit` answers false to stop.
    func forEachPending(
        from lowest: Int64, _ visit: (borrowing Row) -> Bool
    ) throws(SQLiteError) {
        try connection.forEach(
            "SELECT \(Self.columns) FROM events WHERE status = 0 AND key >= ? ORDER BY key",
            values: [lowest], visit)
    }

    /// Whether a row's payload, and with it what names the event, is still what was written.
    static func isSound(_ row: borrowing Row, epoch: String) -> Bool {
        EventPayload.digest(
            storedPayload(row), id: row.blob(5), position: position(row, epoch: epoch))
            == digest(row)
    }

    private static func position(_ row: borrowing Row, epoch: String) -> QueuePosition {
        QueuePosition(
            epoch: row.optionalText(3) ?? epoch, sequence: row.optionalInt64(4) ?? row.int64(0))
    }

    /// Whether the oldest event of the current epoch that waits was written in another one.
    func contradicts(epoch: String) throws(SQLiteError) -> Bool {
        var isSound = true
        try forEachPending(from: 1) { row in
            isSound = Self.isSound(row, epoch: epoch)
            return false
        }
        return !isSound
    }

    static func key(_ row: borrowing Row) -> Int64 { row.int64(0) }

    /// The payload as it lies in the row.
    static func storedPayload(_ row: borrowing Row) -> [UInt8] { row.blob(7) }

    static func digest(_ row: borrowing Row) -> [UInt8] { row.blob(8) }

    /// The row of a key, and whether it is still what was written; nil: there is none.
    func event(
        _ key: Int64, epoch: String
    ) throws(SQLiteError) -> (event: QueuedEvent?, isSound: Bool)? {
        try connection.first("SELECT \(Self.columns) FROM events WHERE key = ?", key) {
            (event: Self.event($0, epoch: epoch), isSound: Self.isSound($0, epoch: epoch))
        }
    }

    func events(
        after key: Int64?, limit: Int, epoch: String
    ) throws(SQLiteError) -> [QueuedEvent] {
        let limit = max(0, limit)
        guard let key else {
            return try connection.query(
                "SELECT \(Self.columns) FROM events ORDER BY key DESC LIMIT ?", limit,
                read: { Self.shown($0, epoch: epoch) }
            ).reversed()
        }
        return try connection.query(
            "SELECT \(Self.columns) FROM events WHERE key > ? ORDER BY key LIMIT ?", key, limit,
            read: { Self.shown($0, epoch: epoch) })
    }

    func startOfNewest(_ limit: Int) throws(SQLiteError) -> Int64 {
        try connection.first(
            "SELECT key FROM events ORDER BY key DESC LIMIT 1 OFFSET ?", max(0, limit),
            read: { $0.int64(0) }) ?? .min
    }

    /// The last sequence number of each earlier epoch of which there are rows.
    func foreignPositions() throws(SQLiteError) -> [String: Int64] {
        let found = try connection.query(
            "SELECT epoch, max(sequence) FROM events WHERE key < 0 GROUP BY epoch"
        ) { ($0.text(0), $0.int64(1)) }
        return Dictionary(found, uniquingKeysWith: max)
    }

    func deadLetters(limit: Int, epoch: String) throws(SQLiteError) -> [QueuedEvent] {
        try connection.query(
            "SELECT \(Self.columns) FROM events WHERE status = 2 ORDER BY key DESC LIMIT ?",
            max(0, limit), read: { Self.shown($0, epoch: epoch) })
    }

    /// For those who look: a row that is no longer what was written has no bytes, so that it is told, and
    /// hides none behind it.
    static func shown(_ row: borrowing Row, epoch: String) -> QueuedEvent {
        if isSound(row, epoch: epoch), let event = event(row, epoch: epoch) { return event }
        return QueuedEvent(
            key: key(row), clientEventID: UUIDBytes(row.blob(5))?.text ?? "",
            position: position(row, epoch: epoch),
            // Nobody shows a kind without the event.
            kind: EventKind(rawValue: row.text(2)) ?? .stateReset, status: status(row), payload: [])
    }

    private static func status(_ row: borrowing Row) -> QueuedEvent.Status {
        switch row.int(1) {
        case 0: .pending
        case 1: .acknowledged
        default: .dead(code: row.text(6))
        }
    }

    /// Nil for a row that this version cannot name.
    static func event(_ row: borrowing Row, epoch: String) -> QueuedEvent? {
        guard let kind = EventKind(rawValue: row.text(2)), let id = UUIDBytes(row.blob(5)) else {
            return nil
        }
        let (name, position) = (id.text, position(row, epoch: epoch))
        guard
            let payload = EventPayload.json(
                storedPayload(row), kind: kind, clientEventID: name, position: position)
        else { return nil }
        return QueuedEvent(
            key: row.int64(0), clientEventID: name, position: position, kind: kind,
            status: status(row), payload: payload)
    }

    /// When the oldest pending event from `lowest` on was made, and its key.
    func oldestPending(from lowest: Int64) throws(SQLiteError) -> (key: Int64, madeAt: UTCTime)? {
        try connection.first(
            "SELECT key, made_at FROM events WHERE status = 0 AND key >= ? ORDER BY key LIMIT 1",
            lowest
        ) { ($0.int64(0), UTCTime(millisecondsSince1970: $0.int64(1))) }
    }

    // MARK: Counters

    func counters() throws(SQLiteError) -> Counters {
        try connection.first(
            """
            SELECT enqueued, acknowledged, pending, dead, evicted, kept_acknowledged, dead_bytes
            FROM counters
            """
        ) {
            Counters(
                enqueued: $0.int64(0), acknowledged: $0.int64(1), pending: $0.int64(2),
                dead: $0.int64(3), evicted: $0.int64(4), keptAcknowledged: $0.int64(5),
                deadBytes: $0.int64(6))
        } ?? Counters()
    }

    /// The counters with what can be counted put in the place of what is kept count of; reads every
    /// row.
    func recount() throws(SQLiteError) -> Counters {
        var counted = try counters()
        (counted.pending, counted.keptAcknowledged, counted.deadBytes) = (0, 0, 0)
        // Not grouped by status: that sorts all rows, in memory.
        try connection.forEach(
            """
            SELECT total(status = 0), total(status = 1),
                total(CASE WHEN status IN (0, 1) THEN 0 ELSE length(payload) END)
            FROM events
            """
        ) { row in
            counted.pending = row.int64(0)
            counted.keptAcknowledged = row.int64(1)
            counted.deadBytes = row.int64(2)
            return true
        }
        return counted
    }

    // MARK: The rest

    func meta(_ name: String) throws(SQLiteError) -> String? {
        try connection.first("SELECT value FROM meta WHERE name = ?", name) { $0.text(0) }
    }

    /// The key of the newest event of the current epoch; 0: there is none.
    func greatestKey() throws(SQLiteError) -> Int64 {
        max(0, try connection.first("SELECT max(key) FROM events", read: { $0.int64(0) }) ?? 0)
    }

    /// The last sequence number that was given out in the current epoch.
    func lastSequence() throws(SQLiteError) -> Int64 {
        try connection.first("SELECT seq FROM sqlite_sequence WHERE name = 'events'") {
            $0.int64(0)
        } ?? 0
    }

    /// Nil where there is none, or where it is no longer what was written.
    func state(_ key: StateKey) throws(SQLiteError) -> [UInt8]? {
        let found = try connection.first(
            "SELECT value, digest FROM state WHERE name = ?", key.rawValue
        ) { ($0.blob(0), $0.blob(1)) }
        return found.flatMap { StateRow.value(stored: $0, digest: $1) }
    }

    func stateKeys() throws(SQLiteError) -> [StateKey] {
        try connection.query("SELECT name FROM state") { StateKey(rawValue: $0.text(0)) }
    }

    /// The latest boot first.
    func clockAnchors() throws(SQLiteError) -> [ClockAnchor] {
        try connection.query(
            "SELECT boot_id, mono_ms, utc_ms, source FROM clock_anchors ORDER BY number DESC"
        ) { row in
            ClockAnchor.Source(rawValue: row.text(3)).map {
                ClockAnchor(
                    bootID: BootID(row.text(0)), uptime: Uptime(milliseconds: row.int64(1)),
                    utc: UTCTime(millisecondsSince1970: row.int64(2)), source: $0)
            }
        }.compactMap { $0 }
    }

    func arrivals() throws(SQLiteError) -> [String: UUIDBytes] {
        let pairs = try connection.query("SELECT fence_id, visit_id FROM arrivals") {
            ($0.text(0), UUIDBytes($0.blob(1)))
        }
        return Dictionary(
            pairs.compactMap { pair in pair.1.map { (pair.0, $0) } }, uniquingKeysWith: { $1 })
    }
}

/// A short checksum of stored bytes.
enum Digest {
    static let byteCount = 8

    /// The first 8 bytes of the SHA-256; empty where the library has no memory, which no stored
    /// digest equals.
    static func of(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { of($0) }
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        (try? SHA256.withDigest(of: bytes) { Array($0.prefix(byteCount)) }) ?? []
    }

    /// Appends the digest of `bytes`; zeros where the library has no memory.
    static func append(of bytes: UnsafeRawBufferPointer, to stored: inout [UInt8]) {
        let front = try? SHA256.withDigest(of: bytes) { $0.loadUnaligned(as: UInt64.self) }
        withUnsafeBytes(of: front ?? 0) { stored += $0 }
    }
}
