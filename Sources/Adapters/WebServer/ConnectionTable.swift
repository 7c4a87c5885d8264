import Glibc
import Synchronization

/// All open connections, so that the watchdog can end those that are past their deadline.
///
/// A connection leaves the table before the library closes its descriptor, and a descriptor is
/// shut down only while its connection is in the table, under the same lock: the watchdog can
/// never hit a number that the system has given to somebody else.
final class ConnectionTable: Sendable {
    private let connections = Mutex<[ObjectIdentifier: ClientConnection]>([:])

    func insert(_ connection: ClientConnection) {
        connections.withLock { $0[ObjectIdentifier(connection)] = connection }
    }

    func remove(_ connection: ClientConnection) {
        connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    var count: Int { connections.withLock { $0.count } }

    /// Ends those past their deadline, and the idle ones too where `closingIdle`.
    func sweep(closingIdle: Bool) {
        let now = Uptime.now
        connections.withLock { table in
            for connection in table.values {
                let isDue = connection.state.withLock { state in
                    if closingIdle, state.phase == .idle { return true }
                    return state.deadline.map { $0 <= now } ?? false
                }
                if isDue { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }
            }
        }
    }
}
