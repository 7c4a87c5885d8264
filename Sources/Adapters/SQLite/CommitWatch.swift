import CSQLite

/// Tells whether anything has been committed to a file, by this process or another one, without
/// reading the database: in the time of a few loads of memory.
///
/// In WAL mode every commit writes the header of the log's index, which all connections share in
/// memory, before COMMIT returns (sqlite.org/walformat.html, "The WAL-Index Header"). It counts
/// transactions and holds the checksum of the log, so it is never the same again. Only whether it
/// is the same is asked here, not what it says. A checkpoint changes it too.
public struct CommitWatch {
    private let connection: Connection
    private let hasLog: Bool
    /// When it was last looked at; nil: not yet.
    private var mark: CommitMark?

    /// Opens a file that is there, for reading.
    public init(path: String) throws(SQLiteError) {
        connection = try Connection(path: path, mode: .readOnly)
        try connection.setPragma("query_only", 1)
        hasLog = try connection.first("PRAGMA journal_mode") { $0.text(0) } == "wal"
        // The first that is read maps the index into memory, where it stays.
        _ = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.int(0) }
    }

    /// Whether there may have been a commit since it was asked last; true the first time.
    public mutating func hasChanged() throws(SQLiteError) -> Bool {
        let found = try currentMark()
        defer { mark = found }
        return found != mark
    }

    private func currentMark() throws(SQLiteError) -> CommitMark {
        var words = geofenced_log_header()
        if hasLog, geofenced_read_log_header(connection.database, &words) != 0 {
            return .log(
                SIMD8(
                    words.words.0, words.words.1, words.words.2, words.words.3, words.words.4,
                    words.words.5, 0, 0))
        }
        return .dataVersion(try connection.first("PRAGMA data_version") { $0.int64(0) })
    }
}

private enum CommitMark: Equatable {
    case log(SIMD8<UInt64>)
    /// Where there is no log: the same, but it has to be read from the file.
    case dataVersion(Int64?)
}
