import Delivery
import Glibc
import SQLite
import Timekeeping

/// Looks into a queue without its agent and without writing: for the command line and `doctor`.
/// Works beside a running agent and on a read-only disk.
public final class SQLiteQueueReader {
    private let rows: QueueRows
    private let path: String
    /// 32 hex digits that name the queue file.
    public let epoch: String

    /// Whether there is a queue to open, as far as this user can see.
    public static func exists(in directory: String) -> Bool {
        access(QueueFiles(directory: directory).database, F_OK) == 0
    }

    /// Bytes of the queue's file and its log; 0 where there is none, or none to be seen.
    public static func bytes(in directory: String) -> Int64 {
        let database = QueueFiles(directory: directory).database
        return QueueFiles.suffixes.reduce(0) {
            $0 + ((try? QueueFiles.size(of: database + $1)) ?? 0)
        }
    }

    /// Opens the queue in `directory`. Throws where there is none, or none that can be read; with
    /// `isTraceless` also where a log has lost its index, which could only be made anew.
    public init(directory: String, isTraceless: Bool = false) throws(QueueError) {
        path = QueueFiles(directory: directory).database
        guard access(path, F_OK) == 0 else {
            throw .storage(path: path, detail: QueueFiles.words(errno))
        }
        (rows, epoch) = try Self.open(path, isTraceless: isTraceless)
    }

    /// Stops whatever is being read, from any thread.
    public var interrupter: Interrupter { rows.connection.interrupter }

    /// How to open a file that another process may have open, best first.
    ///
    /// A log with content is read together with the index that its writer made, which is not written
    /// to. Without a log the file is complete, and nobody writes to it. A plain read-only connection
    /// would make both files; it is the last resort, for a log whose index is lost.
    static func modes(_ path: String, isTraceless: Bool) -> [Connection.OpenMode] {
        !hasLog(path) ? [.immutable] : isTraceless ? [.readOnlyLog] : [.readOnlyLog, .readOnly]
    }

    private static func open(
        _ path: String, isTraceless: Bool
    ) throws(QueueError) -> (QueueRows, String) {
        var failure = "no queue"
        for mode in modes(path, isTraceless: isTraceless) {
            do {
                let connection = try Connection(
                    path: path, mode: mode,
                    busyTimeoutMilliseconds: StorageLimits.busyMilliseconds)
                let found = try connection.schemaVersion()
                guard found <= QueueSchema.version else {
                    throw QueueError.newerVersion(
                        path: path, found: found, supported: QueueSchema.version)
                }
                let rows = QueueRows(connection: connection)
                if let epoch = try rows.meta("epoch") { return (rows, epoch) }
            } catch let error as QueueError {
                throw error
            } catch {
                failure = "\(error)"
            }
        }
        throw .storage(path: path, detail: failure)
    }

    /// Whether a log beside the file holds what is not in the file yet, or a writer is at work.
    private static func hasLog(_ path: String) -> Bool {
        var status = stat()
        if stat(path + "-wal", &status) == 0, status.st_size > 0 { return true }
        return access(path + "-shm", F_OK) == 0
    }

    public func counts() throws(QueueError) -> QueueCounts {
        try read { rows in
            let counters = try rows.counters()
            return QueueCounts(
                enqueued: counters.enqueued, acknowledged: counters.acknowledged,
                pending: counters.pending, dead: counters.dead, evicted: counters.evicted,
                oldest: try rows.oldestPending(from: .min)?.madeAt)
        }
    }

    /// Events of any status with a key above `key`, oldest first; nil: the newest `limit` events.
    public func events(after key: Int64?, limit: Int) throws(QueueError) -> [QueuedEvent] {
        try read { try $0.events(after: key, limit: limit, epoch: self.epoch) }
    }

    /// The newest dead letters, newest first.
    public func deadLetters(limit: Int) throws(QueueError) -> [QueuedEvent] {
        try read { try $0.deadLetters(limit: limit, epoch: self.epoch) }
    }

    /// Hands over every pending event, oldest first, until `visit` answers false.
    public func forEachPending(_ visit: (QueuedEvent) -> Bool) throws(QueueError) {
        try read { rows in
            try rows.forEachPending(from: .min) { row in
                visit(QueueRows.shown(row, epoch: self.epoch))
            }
        }
    }

    public func clockAnchors() throws(QueueError) -> [ClockAnchor] {
        try read { try $0.clockAnchors() }
    }

    /// A stored value; nil: there is none.
    public func state(_ key: StateKey) throws(QueueError) -> [UInt8]? {
        try read { try $0.state(key) }
    }

    /// What is wrong with the file: defects of its structure, and counters that do not match the
    /// rows. Empty for a sound one. Reads everything.
    public func defects() throws(QueueError) -> [String] {
        let found = try examination()
        return found.structure + found.counts
    }

    /// As `defects`, apart: those of the file's structure, and those of the counters.
    public func examination() throws(QueueError) -> (structure: [String], counts: [String]) {
        try read { rows in
            let structure = try rows.connection.quickCheck()
            var counts: [String] = []
            let kept = try rows.counters()
            if try rows.recount() != kept { counts.append("the counters do not match the rows") }
            if !kept.isBalanced {
                counts.append("enqueued is not acknowledged + pending + dead + evicted")
            }
            return (structure, counts)
        }
    }

    /// In a transaction, so that all of it sees the same moment of a running agent.
    private func read<Result>(
        _ work: (QueueRows) throws -> Result
    ) throws(QueueError) -> Result {
        do {
            return try rows.connection.withTransaction(.deferred) { try work(rows) }
        } catch {
            throw .storage(path: path, detail: "\(error)")
        }
    }
}
