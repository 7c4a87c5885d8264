import CSQLite

/// One row of an answer, valid while its reader runs; columns count from 0.
///
/// Reading follows SQLite's own conversions: a null reads as 0, "" or no bytes where an optional
/// accessor is not used, and a column that does not exist reads as null.
public struct Row: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    public var columnCount: Int { Int(sqlite3_column_count(statement)) }

    public func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    public func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    public func int(_ column: Int32) -> Int { Int(int64(column)) }

    public func double(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

    public func bool(_ column: Int32) -> Bool { int64(column) != 0 }

    /// Bytes that are not UTF-8 are repaired with U+FFFD.
    public func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    public func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, column))
        return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Bytes of a text or a blob, without copying it.
    public func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(statement, column)) }

    public func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    public func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }

    public func optionalDouble(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }

    public func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    public func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }

    /// The value in the storage class in which it is stored.
    public func value(_ column: Int32) -> Value {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(int64(column))
        case SQLITE_FLOAT: .real(double(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(blob(column))
        default: .null
        }
    }
}
