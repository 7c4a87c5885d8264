import SQLite

/// The queue's tables.
enum QueueSchema {
    static let version = 3

    /// The tables are those of version 1. Version 2 packed what it wrote (`PackedPayload`, `StateRow`), and
    /// version 3 writes an event's values (`EventPayload`), which earlier programs could not read. Earlier
    /// rows are read as well, and stay as they are.
    static var migrations: [Migration] {
        [
            Migration(version: 1, script: first), Migration(version: 2) { _ in },
            Migration(version: 3) { _ in },
        ]
    }

    /// `events.key` is the sequence number of the current epoch; events of an earlier epoch have
    /// negative keys and carry their own `epoch` and `sequence`. `status`: 0 pending,
    /// 1 acknowledged, 2 dead. `digest` is that of `EventPayload`: what damage left readable must also be
    /// true before it is sent. The digests of `state` are those of
    /// `StateRow`.
    private static let first = """
        CREATE TABLE meta(
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE events(
            key INTEGER PRIMARY KEY AUTOINCREMENT,
            status INTEGER NOT NULL DEFAULT 0,
            kind TEXT NOT NULL,
            epoch TEXT,
            sequence INTEGER,
            event_id BLOB NOT NULL,
            digest BLOB NOT NULL,
            made_at INTEGER NOT NULL,
            code TEXT,
            payload BLOB NOT NULL
        ) STRICT;
        CREATE TABLE counters(
            id INTEGER PRIMARY KEY CHECK (id = 1),
            enqueued INTEGER NOT NULL,
            acknowledged INTEGER NOT NULL,
            pending INTEGER NOT NULL,
            dead INTEGER NOT NULL,
            evicted INTEGER NOT NULL,
            kept_acknowledged INTEGER NOT NULL,
            dead_bytes INTEGER NOT NULL
        ) STRICT;
        INSERT INTO counters VALUES (1, 0, 0, 0, 0, 0, 0, 0);
        CREATE TABLE state(
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            digest BLOB NOT NULL,
            value BLOB NOT NULL
        ) STRICT;
        CREATE TABLE clock_anchors(
            boot_id TEXT PRIMARY KEY,
            number INTEGER NOT NULL,
            mono_ms INTEGER NOT NULL,
            utc_ms INTEGER NOT NULL,
            source TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE arrivals(
            fence_id TEXT PRIMARY KEY,
            visit_id BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// The settings of section 2 of the delivery design; `page_size` counts only for a new file.
    static func configure(_ connection: Connection, maxBytes: Int64) throws(SQLiteError) {
        try connection.setPragma("page_size", StorageLimits.pageSize)
        try connection.setPragma("journal_mode", "WAL")
        try connection.setPragma("synchronous", "FULL")
        try connection.setPragma("wal_autocheckpoint", StorageLimits.checkpointPages)
        try connection.setPragma("journal_size_limit", StorageLimits.logBytes)
        try connection.setPragma("temp_store", "MEMORY")
        try connection.setPragma("cache_size", -512)
        try connection.setPragma("max_page_count", Int(maxBytes) / StorageLimits.pageSize)
    }
}
