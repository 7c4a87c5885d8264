import Dispatch
import Synchronization

/// Copies the log of a database into it beside its writer, with a thread and a connection of its
/// own, so that a commit seldom has to.
///
/// While others write it never copies all of the log, which only then begins anew: its writer needs a
/// `wal_autocheckpoint` besides, which finds little left to do.
public final class LogCopier: Sendable {
    private let queue = DispatchQueue(label: "sqlite-log")
    private let connection: Mutex<Connection>
    private let isRunning = Atomic(false)

    /// Opens a database that is there and has a log.
    public init(path: String) throws(SQLiteError) {
        let connection = try Connection(path: path, mode: .readWrite)
        // What was copied must be on the disk before the log is used again.
        try connection.setPragma("synchronous", "FULL")
        // Without having read it has not opened the log, and would copy nothing.
        _ = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.int(0) }
        self.connection = Mutex(connection)
    }

    /// Begins to copy what is in the log now, unless it is at it.
    public func start() {
        guard !isRunning.exchange(true, ordering: .acquiringAndReleasing) else { return }
        queue.async {
            // What fails stays in the log, and is copied again the next time.
            self.connection.withLock { try? $0.checkpoint(.passive) }
            self.isRunning.store(false, ordering: .releasing)
        }
    }

    /// Returns when what was begun has ended. Blocks.
    public func wait() {
        queue.sync {}
    }
}
