import CSQLite

/// A prepared statement of one connection, which alone uses it.
final class Statement {
    let pointer: OpaquePointer
    let sql: String
    /// Between the first step and the reset.
    var isOpen = false

    init(_ sql: String, on database: OpaquePointer) throws(SQLiteError) {
        var made: OpaquePointer?
        // The database must be told that the statement will be kept, or it takes memory from the
        // lookaside pool that short-lived ones need.
        let result = sqlite3_prepare_v3(
            database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard result == SQLITE_OK else { throw SQLiteError(of: database, statement: sql) }
        guard let made else {
            throw SQLiteError(
                code: .misuse, extendedCode: SQLITE_MISUSE, message: "an empty statement",
                statement: sql)
        }
        pointer = made
        self.sql = sql
    }

    deinit {
        sqlite3_finalize(pointer)
    }

    static let success = SQLITE_OK

    func bind(_ values: [any Bindable]) throws(SQLiteError) {
        try expect(Int32(clamping: values.count))
        for (offset, value) in values.enumerated() {
            let result = bind(value.sqliteValue, at: Int32(offset + 1))
            guard result == SQLITE_OK else { throw error() }
        }
    }

    /// Throws unless the statement takes so many values.
    func expect(_ count: Int32) throws(SQLiteError) {
        let expected = sqlite3_bind_parameter_count(pointer)
        guard expected == count else {
            throw SQLiteError(
                code: .range, extendedCode: SQLITE_RANGE,
                message: "\(count) values for \(expected) parameters", statement: sql)
        }
    }

    func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(pointer, index)
        case .integer(let number): bind(number, at: index)
        case .real(let number): sqlite3_bind_double(pointer, index, number)
        case .text(let text): bind(text, at: index)
        case .blob(let bytes): bind(bytes, at: index)
        }
    }

    func bind(_ number: Int64, at index: Int32) -> Int32 {
        sqlite3_bind_int64(pointer, index, number)
    }

    func bind(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            guard let length = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
            return bytes.withMemoryRebound(to: CChar.self) {
                // An empty Swift string may have no address, which would bind NULL.
                $0.baseAddress.map { geofenced_bind_text(pointer, index, $0, length) }
                    ?? geofenced_bind_text(pointer, index, "", 0)
            }
        }
    }

    func bind(_ bytes: [UInt8], at index: Int32) -> Int32 {
        guard let length = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
        return bytes.withUnsafeBytes {
            geofenced_bind_blob(pointer, index, $0.baseAddress, length)
        }
    }

    /// Binds bytes that stay until the statement is reset.
    func bind(lasting bytes: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        guard let length = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
        return geofenced_bind_lasting_blob(pointer, index, bytes.baseAddress, length)
    }

    /// True: there is a row to read. False: the statement has ended.
    func step() throws(SQLiteError) -> Bool {
        isOpen = true
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw error()
        }
    }

    /// Ends the statement and lets go of its values.
    func reset() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
        isOpen = false
    }

    func error() -> SQLiteError {
        SQLiteError(of: sqlite3_db_handle(pointer), statement: sql)
    }
}

extension SQLiteError {
    /// The error that the database remembers for its last call.
    init(of database: OpaquePointer?, statement: String? = nil) {
        let extended = sqlite3_extended_errcode(database)
        self.init(
            code: ResultCode(extended: extended), extendedCode: extended,
            message: sqlite3_errmsg(database).map { String(cString: $0) } ?? "no message",
            statement: statement)
    }
}
