import Delivery
import Geodesy
import SQLite
import Timekeeping

/// The database with the positions: a table without sequence numbers, that only grows at one end and
/// only shrinks at the other.
final class BreadcrumbFile {
    private let connection: Connection
    /// The boot of the last row that was written, and its number.
    private var boot: (id: BootID, number: Int64)?

    private static let schema = """
        CREATE TABLE boots(
            number INTEGER PRIMARY KEY,
            boot_id TEXT NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE positions(
            id INTEGER PRIMARY KEY,
            boot INTEGER NOT NULL,
            mono_ms INTEGER NOT NULL,
            utc_ms INTEGER,
            lat_e7 INTEGER NOT NULL,
            lon_e7 INTEGER NOT NULL,
            accuracy_cm INTEGER NOT NULL,
            speed_cms INTEGER
        ) STRICT;
        """
    static let version = 1

    /// Rows that give way in one transaction at most, so that no group waits long for them.
    private static let dropLimit: Int64 = 65_536
    /// What is left of a budget that was exceeded, so that not every group drops some.
    private static let goal = 15.0 / 16

    init(path: String) throws(SQLiteError) {
        connection = try Connection(
            path: path, mode: .readWrite, busyTimeoutMilliseconds: 1000)
        try connection.setPragma("page_size", StorageLimits.pageSize)
        // So that the file can be made smaller without being written anew.
        try connection.setPragma("auto_vacuum", "INCREMENTAL")
        try connection.setPragma("journal_mode", "WAL")
        try connection.setPragma("synchronous", "FULL")
        try connection.setPragma("wal_autocheckpoint", StorageLimits.checkpointPages)
        try connection.setPragma("journal_size_limit", StorageLimits.logBytes)
        try connection.setPragma("temp_store", "MEMORY")
        try connection.setPragma("cache_size", -128)
        do { try connection.migrate([Migration(version: Self.version, script: Self.schema)]) } catch
        {
            switch error {
            case .failed(_, let error): throw error
            case .newerVersion:
                throw SQLiteError(
                    code: .readOnly, extendedCode: ResultCode.readOnly.rawValue,
                    message: "\(path): \(error)")
            }
        }
    }

    /// Writes a group in one transaction, and drops the oldest beyond `budget` bytes of file; answers
    /// how many.
    func append(
        _ group: [Breadcrumb], within budget: Int64
    ) throws(SQLiteError) -> Int64 {
        var next = boot
        let dropped = try connection.transaction { () throws(SQLiteError) in
            for crumb in group {
                let number = try number(of: crumb.bootID, known: next)
                next = (crumb.bootID, number)
                try insert(crumb, boot: number)
            }
            return try trim(to: budget)
        }
        boot = next
        try shrink(to: budget)
        return dropped
    }

    /// How many there are: they leave in the order in which they came.
    func count() throws(SQLiteError) -> Int64 {
        // Not in one query: that would read all of them.
        let first = try connection.first("SELECT min(id) FROM positions", read: { $0.int64(0) })
        let last = try connection.first("SELECT max(id) FROM positions", read: { $0.int64(0) })
        guard let first, let last, last > 0 else { return 0 }
        return last - first + 1
    }

    func bytes() throws(SQLiteError) -> Int64 { try connection.databaseBytes() }

    /// Drops the oldest so that the file ends up with at most `bytes`, and gives their room back to
    /// the file system; answers how many.
    func shorten(to bytes: Int64) throws(SQLiteError) -> Int64 {
        let dropped = try connection.transaction { () throws(SQLiteError) in
            try trim(to: bytes)
        }
        try shrink(to: bytes)
        // A reader may hold the log; then it is cut later.
        try? connection.checkpoint(.truncate)
        return dropped
    }

    private func number(
        of id: BootID, known: (id: BootID, number: Int64)?
    ) throws(SQLiteError) -> Int64 {
        if let known, known.id == id { return known.number }
        try connection.run(
            "INSERT INTO boots(boot_id) VALUES (?) ON CONFLICT (boot_id) DO NOTHING", id.text)
        return try connection.first(
            "SELECT number FROM boots WHERE boot_id = ?", id.text, read: { $0.int64(0) }) ?? 0
    }

    private func insert(_ crumb: Breadcrumb, boot: Int64) throws(SQLiteError) {
        try connection.run(
            """
            INSERT INTO positions(boot, mono_ms, utc_ms, lat_e7, lon_e7, accuracy_cm, speed_cms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, boot, crumb.uptime.milliseconds, crumb.time?.millisecondsSince1970,
            Self.whole(crumb.coordinate.latitude, of: Self.degree),
            Self.whole(crumb.coordinate.longitude, of: Self.degree),
            Self.whole(crumb.accuracyMeters, of: 100),
            crumb.speed.map { Self.whole($0, of: 100) })
    }

    private func trim(to budget: Int64) throws(SQLiteError) -> Int64 {
        let used = try connection.databaseBytes() - connection.freeBytes()
        guard used > budget else { return 0 }
        let kept = try count()
        guard kept > 0 else { return 0 }
        let excess = used - Int64(Double(budget) * Self.goal)
        let rows = min(kept, Self.dropLimit, excess / max(1, used / kept) + 1)
        try connection.run(
            "DELETE FROM positions WHERE id < (SELECT min(id) FROM positions) + ?", rows)
        let dropped = Int64(connection.changes)
        try connection.run(
            "DELETE FROM boots WHERE number < (SELECT boot FROM positions ORDER BY id LIMIT 1)")
        return dropped
    }

    /// Cuts free pages off the end.
    private func shrink(to budget: Int64) throws(SQLiteError) {
        let excess = try connection.databaseBytes() - budget
        guard excess > 0, try connection.freeBytes() > 0 else { return }
        try connection.execute(
            "PRAGMA incremental_vacuum(\(excess / Int64(StorageLimits.pageSize) + 1))")
    }

    /// Parts of a degree in which positions are kept: 11 mm.
    static let degree = 1e7

    /// So many parts of a unit; what does not fit is cut.
    private static func whole(_ value: Double, of parts: Double) -> Int64 {
        guard value.isFinite else { return 0 }
        return Int64(min(max((value * parts).rounded(), -4e9), 4e9))
    }

    /// Nil for a row that is no position.
    static func breadcrumb(_ row: borrowing Row) -> Breadcrumb? {
        guard
            let coordinate = Coordinate(
                latitude: Double(row.int64(3)) / degree, longitude: Double(row.int64(4)) / degree),
            row.int64(5) > 0, let boot = row.optionalText(0)
        else { return nil }
        return Breadcrumb(
            bootID: BootID(boot), uptime: Uptime(milliseconds: row.int64(1)),
            time: row.optionalInt64(2).map(UTCTime.init(millisecondsSince1970:)),
            coordinate: coordinate, accuracyMeters: Double(row.int64(5)) / 100,
            speed: row.optionalInt64(6).map { Double($0) / 100 })
    }
}
