import SQLite
import Synchronization

/// Connections that only read, each used by one call at a time.
final class SQLiteReaders: Sendable {
    private let slots: [Slot]
    private let turn = Atomic(0)

    /// Opens `count` connections to a database that is there already.
    init(path: String, count: Int) throws(SQLiteError) {
        var slots: [Slot] = []
        for _ in 0..<max(1, count) {
            let connection = try Connection(path: path, mode: .readOnly)
            try connection.setPragma("query_only", 1)
            slots.append(Slot(connection))
        }
        self.slots = slots
    }

    /// Reads one state of the database, whatever is written meanwhile.
    func read<Result: Sendable>(
        _ body: @Sendable (Connection) throws -> Result
    ) throws(StoreError) -> Result {
        do {
            for slot in slots {
                if let result = try slot.connection.withLockIfAvailable({
                    try Self.snapshot($0, body)
                }) {
                    return result
                }
            }
            let index = turn.wrappingAdd(1, ordering: .relaxed).newValue & Int.max
            return try slots[index % slots.count].connection.withLock {
                try Self.snapshot($0, body)
            }
        } catch {
            throw StoreError(error)
        }
    }

    private static func snapshot<Result>(
        _ connection: Connection, _ body: @Sendable (Connection) throws -> Result
    ) throws -> Result {
        try connection.withTransaction(.deferred) { try body(connection) }
    }

    private final class Slot: Sendable {
        let connection: Mutex<Connection>

        init(_ connection: sending Connection) {
            self.connection = Mutex(connection)
        }
    }
}
