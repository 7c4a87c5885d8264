import Cryptography
import Delivery
import Glibc
import SQLite

/// Opens the queue's database and finds out in which condition it is.
struct QueueOpening {
    var files: QueueFiles
    var deviceID: String
    /// Serial number of the hardware; nil: unknown.
    var hardwareID: String?
    var limits: StorageLimits
    /// When a file was made; nil: not known.
    var fileBirth: @Sendable (String) -> Int64? = { _ in nil }

    /// Why there is no open database.
    enum Failure: Error {
        /// The file is no longer a sound queue; `detail` is what was found.
        case damaged(String)
        /// The disk refuses; `isFull` where that is the reason.
        case unavailable(String, isFull: Bool)
        /// Not to be touched.
        case refused(QueueError)

        /// What an error of SQLite means for the file as a whole.
        init(_ error: SQLiteError) {
            switch error.code {
            case .full: self = .unavailable(error.description, isFull: true)
            case .readOnly, .cannotOpen, .busy, .locked, .outOfMemory, .interrupted:
                self = .unavailable(error.description, isFull: false)
            case .ioError where !Self.readErrors.contains(error.extendedCode):
                self = .unavailable(error.description, isFull: false)
            default:
                self = .damaged(error.description)
            }
        }

        /// What went wrong beside a damaged file, about which it says nothing.
        init(besides error: any Error) {
            let failure =
                error as? Failure ?? (error as? SQLiteError).map { Failure($0) }
                ?? .unavailable("\(error)", isFull: false)
            if case .damaged(let detail) = failure {
                self = .unavailable(detail, isFull: false)
            } else {
                self = failure
            }
        }

        /// What the kernel answered to something done with `path`.
        static func system(_ path: String, _ code: Int32) -> Failure {
            .unavailable(
                "\(path): \(QueueFiles.words(code))", isFull: code == ENOSPC || code == EDQUOT)
        }

        /// SQLITE_IOERR_READ, _SHORT_READ, _CORRUPTFS: bytes of the file cannot be had.
        private static let readErrors: Set<Int32> = [266, 522, 8458]
    }

    /// The store on disk. After an orderly stop its rows are not read; otherwise all are checked.
    func open() throws(Failure) -> QueueStore {
        files.removeTemporaries()
        if let loss = try files.loss { throw .damaged(loss) }
        let store = try openFile()
        files.mark(epoch: store.epoch)
        return store
    }

    /// The store in the file, which is made where there is none.
    func openFile() throws(Failure) -> QueueStore {
        do { try files.makeDatabase() } catch {
            throw .unavailable(error.description, isFull: false)
        }
        guard files.hasRoomForIndex else {
            throw .unavailable("no room for the index of the log", isFull: true)
        }
        do {
            let connection = try Connection(
                path: files.database, mode: .readWrite,
                busyTimeoutMilliseconds: StorageLimits.busyMilliseconds)
            try QueueSchema.configure(connection, maxBytes: limits.maxBytes)
            try migrate(connection)
            let store = try store(on: connection)
            files.synchroniseDirectory()
            return store
        } catch let error as Failure {
            throw error
        } catch let error as SQLiteError {
            throw Failure(error)
        } catch {
            throw .unavailable("\(error)", isFull: false)
        }
    }

    /// A store in memory with an epoch of its own.
    func openInMemory() throws -> QueueStore {
        let connection = try Connection(path: ":memory:")
        try connection.migrate(QueueSchema.migrations)
        return try store(on: connection)
    }

    private func migrate(_ connection: Connection) throws(Failure) {
        do { try connection.migrate(QueueSchema.migrations) } catch {
            switch error {
            case .newerVersion(let found, let supported):
                throw .refused(
                    .newerVersion(path: files.database, found: found, supported: supported))
            case .failed(_, let error):
                throw Failure(error)
            }
        }
    }

    private func store(on connection: Connection) throws -> QueueStore {
        let rows = QueueRows(connection: connection)
        guard let epoch = try rows.meta("epoch") else {
            guard try rows.lastSequence() == 0, try rows.counters() == Counters() else {
                throw Failure.damaged("the epoch of its events is gone")
            }
            let epoch = try Self.newEpoch()
            try connection.transaction { () throws(SQLiteError) in
                try set("epoch", epoch, on: connection)
                try writeIdentity(on: connection)
                try set(CleanMark.name, CleanMark.dirty, on: connection)
            }
            return try QueueStore(connection, deviceID: deviceID, epoch: epoch)
        }
        if try !CleanMark.holds(rows) { try check(connection) }
        let isOurs = try isOurs(rows)
        try connection.transaction { () throws(SQLiteError) in
            try set(CleanMark.name, CleanMark.dirty, on: connection)
            if isOurs { try writeIdentity(on: connection) }
        }
        guard !isOurs else {
            return try QueueStore(connection, deviceID: deviceID, epoch: epoch)
        }
        // The card of another device, or a copy that was put back, beyond which events have been
        // numbered and sent: what it holds keeps its names, what comes now starts an epoch.
        return try beginEpoch(on: connection, after: epoch)
    }

    /// What is not known on one of two occasions says nothing.
    private func isOurs(_ rows: QueueRows) throws(SQLiteError) -> Bool {
        guard try rows.meta("device") == deviceID else { return false }
        for (name, value) in marks(of: rows.connection) {
            if let stored = try rows.meta(name), stored != value { return false }
        }
        return true
    }

    private func writeIdentity(on connection: Connection) throws(SQLiteError) {
        try set("device", deviceID, on: connection)
        for (name, value) in marks(of: connection) { try set(name, value, on: connection) }
    }

    /// What is known of the hardware and of the file, by the names under which it is kept.
    private func marks(of connection: Connection) -> [(name: String, value: String)] {
        let birth = fileBirth(connection.path).map { String($0) }
        return [("hardware", hardwareID), ("birth", birth)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    private static func newEpoch() throws(CryptographyError) -> String {
        Hexadecimal.encode(try RandomBytes.make(16))
    }

    private func check(_ connection: Connection) throws {
        let defects = try connection.quickCheck(limit: 1)
        if let defect = defects.first { throw Failure.damaged(defect) }
        let rows = QueueRows(connection: connection)
        let kept = try rows.counters()
        let counted = try rows.recount()
        guard kept == counted, kept.isBalanced else {
            throw Failure.damaged("the counters do not match the rows: \(kept), \(counted)")
        }
        if try rows.contradicts(epoch: try rows.meta("epoch") ?? "") {
            // Their digests know it. It is said twice on the disk; the salvage asks which one is true.
            throw Failure.damaged("the epoch is not that of the events")
        }
        let (greatest, last) = (try rows.greatestKey(), try rows.lastSequence())
        guard greatest <= last else {
            throw Failure.damaged("event \(greatest) is beyond the last sequence number \(last)")
        }
    }

    private func beginEpoch(on connection: Connection, after old: String) throws -> QueueStore {
        let epoch = try Self.newEpoch()
        try connection.transaction { () throws(SQLiteError) in
            try connection.run(
                "UPDATE events SET epoch = ?, sequence = key WHERE epoch IS NULL", old)
            // The old ones first: the two ranges must not meet.
            try connection.run(
                "UPDATE events SET key = key - ? WHERE key < 0", QueueSalvage.keyOffset)
            try connection.run(
                "UPDATE events SET key = key - ? WHERE key > 0", QueueSalvage.keyOffset)
            try connection.run("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'events'")
            try connection.run("DELETE FROM arrivals")
            try connection.run("DELETE FROM state WHERE name = ?", StateKey.pipeline.rawValue)
            try set("epoch", epoch, on: connection)
            try writeIdentity(on: connection)
        }
        let store = try QueueStore(connection, deviceID: deviceID, epoch: epoch)
        store.previousEpoch = old
        return store
    }

    /// Writes only what differs: a start must not cost more than it has to.
    private func set(
        _ name: String, _ value: String, on connection: Connection
    ) throws(SQLiteError) {
        try connection.run(
            """
            INSERT INTO meta VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value <> excluded.value
            """, name, value)
    }
}

extension QueueStore {
    /// Remembers that the file needs no check, and copies the log into it.
    func markClean() throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try connection.run(
                "UPDATE meta SET value = ? WHERE name = ?", try CleanMark.make(rows),
                CleanMark.name)
        }
        try connection.checkpoint(.truncate)
    }
}
