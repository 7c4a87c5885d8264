import SQLite
import Timekeeping

/// The server's store in one SQLite file: WAL, synchronous FULL, one writer with group commit,
/// readers on their own connections.
public final class SQLiteServerStore: ServerStore {
    let writer: SQLiteWriter
    let readers: SQLiteReaders
    let mirror: FenceMirror
    let shapes = ShapeCache()
    let documents = DocumentCache()
    let keys = CommitCache<[UInt8], KeyRecord>()
    let rooms = CommitCache<Int64, Workspace>()
    let configurations = CommitCache<Int64, StoredConfiguration>()
    let alarms = CommitCache<StoredDevice.Alarm, Int>()
    public let path: String
    public let zones: any TimeZoneSource

    static let readerCount = 4
    /// Bytes that the log keeps between checkpoints.
    static let journalSizeLimit = 67_108_864

    /// Pages of log, 48 MiB, after which a commit copies what the `LogCopier` has left of it, so that it
    /// begins anew. Ids are random, so every batch touches pages all over the index: the longer the
    /// log, the more batches share one write of a page.
    static let checkpointPages = 3 * SQLiteWriter.pagesBetweenCopies
    /// Memory of the writer for pages, KiB.
    static let writerCacheKibibytes = 16_384

    /// Opens the file and brings it to the current schema. Unless `creating`, it must exist.
    public init(
        path: String, zones: any TimeZoneSource, creating: Bool = false
    ) throws(StoreError) {
        self.path = path
        self.zones = zones
        do {
            let connection = try Connection(
                path: path, mode: creating ? .readWriteCreate : .readWrite)
            try Self.prepare(connection)
            mirror = try FenceMirror(path: path)
            writer = SQLiteWriter(connection, log: try LogCopier(path: path))
            readers = try SQLiteReaders(path: path, count: Self.readerCount)
        } catch {
            throw StoreError(error)
        }
    }

    /// For a program whose only use of SQLite is this store, before it opens the first: its threads
    /// then share no lock for counting memory.
    public static func claimLibrary() { disableMemoryStatistics() }

    private static func prepare(_ connection: Connection) throws {
        try connection.setPragma("journal_mode", "WAL")
        // FULL: an answer that says "accepted" must survive a power cut.
        try connection.setPragma("synchronous", "FULL")
        try connection.setPragma("foreign_keys", 1)
        try connection.setPragma("temp_store", "MEMORY")
        // What is erased is overwritten, not only unlinked.
        try connection.setPragma("secure_delete", "FAST")
        try connection.setPragma("journal_size_limit", journalSizeLimit)
        try connection.setPragma("wal_autocheckpoint", checkpointPages)
        try connection.setPragma("cache_size", -writerCacheKibibytes)
        try connection.migrate(ServerSchema.migrations)
    }

    /// As `writer.write`, for changes of fences: the fences in memory have followed when it returns.
    ///
    /// That may have to wait for somebody who is reading what another process wrote. Nobody else
    /// waits for it: the next change is being written meanwhile.
    func writeFences<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) throws(StoreError) -> Result {
        let result = try writer.write(body)
        // What cannot be read now is read by the next who asks.
        try? mirror.follow()
        return result
    }

    public func checkReadiness() throws(StoreError) {
        _ = try readers.read { try $0.first("SELECT count(*) FROM workspaces") { $0.int(0) } }
        // Takes the write lock, so that a full or read-only disk is found before a device is.
        try writer.write { _ in }
    }

    /// Copies the log into the database; for a clean end. While another process goes on copying it
    /// stays, and nothing is lost.
    public func checkpoint() throws(StoreError) {
        do {
            try writer.checkpoint()
        } catch {
            throw StoreError(error)
        }
    }
}

extension SQLiteServerStore {
    /// Writes a consistent copy of everything, while the server runs, to a file that must not exist.
    public func backUp(to path: String) throws(StoreError) {
        do {
            try writer.withConnection { connection throws(SQLiteError) in
                try connection.vacuum(into: path)
            }
        } catch {
            throw StoreError(error)
        }
    }
}
