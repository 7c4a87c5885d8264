import CSQLite

/// One connection to one database file. It belongs to one owner: it is used by one thread or actor
/// at a time; only its `interrupter` may be called from elsewhere.
public final class Connection {
    let database: OpaquePointer
    public let path: String
    /// Stops a running statement from another thread.
    public let interrupter: Interrupter
    private var cache: [StatementKey: Statement] = [:]
    private var openStatements = 0

    /// Statements that are kept prepared.
    static let cacheLimit = 64

    /// Opens a file. `busyTimeoutMilliseconds` is how long a statement waits for another
    /// connection's lock before it fails with `busy`.
    public init(
        path: String, mode: OpenMode = .readWriteCreate, busyTimeoutMilliseconds: Int32 = 5000
    ) throws(SQLiteError) {
        var opened: OpaquePointer?
        let name = mode.parameter.map { Self.uri(path, $0) } ?? path
        let result = sqlite3_open_v2(name, &opened, mode.flags, nil)
        guard result == SQLITE_OK, let opened else {
            var error = SQLiteError(of: opened)
            error.message = "\(path): \(error.message)"
            sqlite3_close_v2(opened)
            throw error
        }
        database = opened
        self.path = path
        interrupter = Interrupter(opened)
        sqlite3_extended_result_codes(opened, 1)
        sqlite3_busy_timeout(opened, busyTimeoutMilliseconds)
        // A damaged or planted schema must not run functions or write to its own tables.
        _ = geofenced_db_config_switch(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = geofenced_db_config_switch(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    }

    deinit {
        interrupter.forget()
        cache.removeAll()
        sqlite3_close_v2(database)
    }

    /// How a file is opened.
    public enum OpenMode: Hashable, Sendable {
        /// Fails where the file does not exist.
        case readOnly
        /// Read-only from a medium that nobody writes to: neither locks nor `-shm` are made, so
        /// that it works on a read-only file system. Wrong answers if somebody does write.
        case immutable
        /// Read-only in the log that others left or write to: the `-shm` file must exist, and is
        /// not written to either.
        case readOnlyLog
        case readWrite
        case readWriteCreate

        /// Of the file's URI (sqlite.org/uri.html); nil: it is opened by its path.
        fileprivate var parameter: String? {
            switch self {
            case .immutable: "immutable=1"
            case .readOnlyLog: "readonly_shm=1"
            default: nil
            }
        }

        /// Without SQLite's own lock around every call: a connection has one owner.
        fileprivate var flags: Int32 {
            switch self {
            case .readOnly: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
            case .immutable, .readOnlyLog:
                SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
            case .readWriteCreate:
                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            }
        }
    }

    /// The path as a URI (sqlite.org/uri.html): everything but plain characters is escaped.
    private static func uri(_ path: String, _ parameter: String) -> String {
        var uri = "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16)
                uri += byte < 16 ? "%0\(hex)" : "%\(hex)"
            }
        }
        return uri + "?" + parameter
    }

    // MARK: Statements

    /// Runs any number of statements without values, as for a schema.
    public func execute(_ script: String) throws(SQLiteError) {
        guard sqlite3_exec(database, script, nil, nil, nil) == SQLITE_OK else {
            throw SQLiteError(of: database, statement: script)
        }
    }

    /// Runs one statement to its end and ignores its rows.
    public func run(_ sql: String, _ values: any Bindable...) throws(SQLiteError) {
        try run(sql, values: values)
    }

    /// Runs one statement to its end and ignores its rows.
    public func run(_ sql: String, values: [any Bindable]) throws(SQLiteError) {
        try forEach(sql, values: values) { _ in true }
    }

    /// All rows of one statement, as `read` makes them.
    public func query<Element>(
        _ sql: String, _ values: any Bindable..., read: (borrowing Row) -> Element
    ) throws(SQLiteError) -> [Element] {
        try query(sql, values: values, read: read)
    }

    /// All rows of one statement, as `read` makes them.
    public func query<Element>(
        _ sql: String, values: [any Bindable], read: (borrowing Row) -> Element
    ) throws(SQLiteError) -> [Element] {
        var rows: [Element] = []
        try forEach(sql, values: values) {
            rows.append(read($0))
            return true
        }
        return rows
    }

    /// The first row of one statement; nil: there is none.
    public func first<Element>(
        _ sql: String, _ values: any Bindable..., read: (borrowing Row) -> Element
    ) throws(SQLiteError) -> Element? {
        var result: Element?
        try forEach(sql, values: values) {
            result = read($0)
            return false
        }
        return result
    }

    /// Hands the rows of one statement over one by one until `body` answers false.
    public func forEach(
        _ sql: String, values: [any Bindable] = [], _ body: (borrowing Row) -> Bool
    ) throws(SQLiteError) {
        let statement = try prepared(sql)
        openStatements += 1
        statement.isOpen = true
        defer {
            statement.reset()
            openStatements -= 1
        }
        try statement.bind(values)
        while try statement.step() {
            guard body(Row(statement.pointer)) else { return }
        }
    }

    /// Prepares a statement for its owner to keep.
    public func prepare(_ sql: String) throws(SQLiteError) -> PreparedStatement {
        PreparedStatement(try Statement(sql, on: database))
    }

    /// The statement that is kept prepared for this text, for whoever runs it many times in a row.
    public func kept(_ sql: String) throws(SQLiteError) -> PreparedStatement {
        PreparedStatement(try prepared(sql))
    }

    /// Runs a statement without rows to its end with the values that `bind` adds.
    public func run(
        _ prepared: PreparedStatement, _ bind: (inout ValueBinder) -> Void
    ) throws(SQLiteError) {
        var binder = ValueBinder(prepared.statement)
        bind(&binder)
        defer { prepared.statement.reset() }
        try binder.finish()
        while try prepared.statement.step() {}
    }

    private func prepared(_ sql: String) throws(SQLiteError) -> Statement {
        let key = StatementKey(sql: sql)
        let known = cache[key]
        if let known, !known.isOpen { return known }
        let made = try Statement(sql, on: database)
        if known == nil {
            if cache.count >= Self.cacheLimit { cache.removeAll() }
            cache[key] = made
        }
        return made
    }

    /// Hashed by its length: few of the statements share one, and most are compared by identity, so
    /// that finding one does not read its text.
    private struct StatementKey: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
    }

    // MARK: Transactions

    /// How a transaction takes its lock.
    public enum TransactionKind: Sendable {
        /// At the first statement that needs it: for reading.
        case deferred
        /// The write lock at once, so that no later statement can fail with `busy`.
        case immediate

        fileprivate var statement: String {
            switch self {
            case .deferred: "BEGIN DEFERRED"
            case .immediate: "BEGIN IMMEDIATE"
            }
        }
    }

    /// Runs `body` in one transaction: committed when it returns, rolled back when it throws.
    /// When this returns, the COMMIT has returned. Transactions do not nest.
    public func transaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try run(kind.statement)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// `transaction` for a body that throws errors of its own.
    public func withTransaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws -> Result
    ) throws -> Result {
        try run(kind.statement)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    private func commit() throws(SQLiteError) {
        // A statement that is still being read would keep its snapshot and block checkpoints.
        guard openStatements == 0 else {
            throw SQLiteError(
                code: .misuse, extendedCode: SQLITE_MISUSE,
                message: "\(openStatements) statements open at COMMIT", statement: "COMMIT")
        }
        try run("COMMIT")
    }

    private func rollBack() {
        // Some errors (full, I/O) have rolled back already; then there is nothing to undo.
        if isInTransaction { sqlite3_exec(database, "ROLLBACK", nil, nil, nil) }
    }

    public var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

    // MARK: What the last statement did

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    public var changes: Int { Int(sqlite3_changes64(database)) }

    /// Rows changed since the connection was opened.
    public var totalChanges: Int { Int(sqlite3_total_changes64(database)) }

    /// The row id of the last INSERT of this connection.
    public var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(database) }
}
