import CSQLite

extension Connection {
    /// Reads a pragma; nil where it answers nothing.
    public func pragma(_ name: String) throws(SQLiteError) -> String? {
        try first("PRAGMA \(name)") { $0.text(0) }
    }

    /// Sets a pragma and returns what it answers, which is the value in force where it has one.
    /// `name` and `value` are written into the statement: never pass input.
    @discardableResult
    public func setPragma(_ name: String, _ value: String) throws(SQLiteError) -> String? {
        try first("PRAGMA \(name) = \(value)") { $0.text(0) }
    }

    @discardableResult
    public func setPragma(_ name: String, _ value: Int) throws(SQLiteError) -> String? {
        try setPragma(name, String(value))
    }

    /// How a checkpoint treats readers and the log (sqlite3_wal_checkpoint_v2).
    public enum Checkpoint: Int32, Sendable {
        /// As much as goes without waiting.
        case passive = 0
        /// Waits for readers, then copies everything.
        case full = 1
        /// `full`, and the next writer starts at the front of the log.
        case restart = 2
        /// `restart`, and the log is cut to 0 bytes.
        case truncate = 3
    }

    /// Copies the log into the database.
    ///
    /// While another connection copies SQLite answers busy at once, whatever the busy time-out is:
    /// it is tried again for `patience`.
    public func checkpoint(
        _ kind: Checkpoint = .passive, patience: Duration = .zero
    ) throws(SQLiteError) {
        let end = ContinuousClock.now.advanced(by: patience)
        var status = sqlite3_wal_checkpoint_v2(database, nil, kind.rawValue, nil, nil)
        while status == SQLITE_BUSY, ContinuousClock.now < end {
            sqlite3_sleep(20)
            status = sqlite3_wal_checkpoint_v2(database, nil, kind.rawValue, nil, nil)
        }
        guard status == SQLITE_OK else {
            throw SQLiteError(of: database, statement: "wal_checkpoint(\(kind))")
        }
    }

    /// Pages that this connection has written, to the log where there is one (sqlite3_db_status,
    /// SQLITE_DBSTATUS_CACHE_WRITE); begins anew after 2^31.
    public var pagesWritten: Int {
        var (current, highest) = (Int32(0), Int32(0))
        sqlite3_db_status(database, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return Int(current)
    }

    /// Whether a closing last connection leaves the log as it is: a reader must not write.
    public func setCheckpointOnClose(_ isOn: Bool) {
        _ = geofenced_db_config_switch(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn ? 0 : 1)
    }

    /// Reads on where SQLite would refuse the whole file, for salvage: with a writable schema it
    /// accepts a file that is shorter than its header says (btree.c, lockBtree).
    public func allowDamage() throws(SQLiteError) {
        _ = geofenced_db_config_switch(database, SQLITE_DBCONFIG_DEFENSIVE, 0)
        try setPragma("writable_schema", "ON")
    }

    /// Writes a consistent copy of the whole database to a file that must not exist.
    public func vacuum(into path: String) throws(SQLiteError) {
        try run("VACUUM INTO ?", path)
    }

    /// `PRAGMA quick_check`: at most `limit` defects, none for a sound file.
    public func quickCheck(limit: Int = 20) throws(SQLiteError) -> [String] {
        let lines = try query("PRAGMA quick_check(\(limit))") { $0.text(0) }
        return lines == ["ok"] ? [] : lines
    }

    /// `PRAGMA integrity_check`: as `quickCheck`, indexes included.
    public func integrityCheck(limit: Int = 20) throws(SQLiteError) -> [String] {
        let lines = try query("PRAGMA integrity_check(\(limit))") { $0.text(0) }
        return lines == ["ok"] ? [] : lines
    }

    /// `page_count x page_size`: bytes of the database without its log.
    public func databaseBytes() throws(SQLiteError) -> Int64 {
        let pages = try first("PRAGMA page_count") { $0.int64(0) } ?? 0
        let size = try first("PRAGMA page_size") { $0.int64(0) } ?? 0
        return pages * size
    }

    /// Bytes of the database that hold nothing and are used again before the file grows.
    public func freeBytes() throws(SQLiteError) -> Int64 {
        let pages = try first("PRAGMA freelist_count") { $0.int64(0) } ?? 0
        let size = try first("PRAGMA page_size") { $0.int64(0) } ?? 0
        return pages * size
    }
}

/// Has SQLite no longer add up how much memory it uses, for which all its threads share a lock at each
/// allocation. For programs that have the library to themselves, before they open the first database;
/// false: it is in use already.
@discardableResult
public func disableMemoryStatistics() -> Bool {
    geofenced_disable_memory_statistics() == SQLITE_OK
}

/// The version of the SQLite library that is loaded, "3.40.1".
public var libraryVersion: String { String(cString: sqlite3_libversion()) }
