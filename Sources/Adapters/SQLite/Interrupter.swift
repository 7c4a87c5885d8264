import CSQLite
import Synchronization

/// Stops whatever statement a connection is running; usable from every thread.
public final class Interrupter: Sendable {
    private let handle: Mutex<Handle?>

    init(_ database: OpaquePointer) {
        handle = Mutex(Handle(database: database))
    }

    /// The running statement fails with `interrupted`; without one nothing happens.
    public func interrupt() {
        handle.withLock {
            if let database = $0?.database { sqlite3_interrupt(database) }
        }
    }

    /// Called before the connection closes: sqlite3_interrupt must not race with that.
    func forget() {
        handle.withLock { $0 = nil }
    }

    /// Sendable because sqlite3_interrupt may be called from every thread while the connection is
    /// open, and the mutex keeps it open during the call.
    private struct Handle: @unchecked Sendable {
        let database: OpaquePointer
    }
}
