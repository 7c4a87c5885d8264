import Geodesy
import SQLite
import Synchronization

/// The fences in memory, and whether anything has been committed since they were looked at.
///
/// A `CommitWatch` tells that something was committed by this process or another (`geofence-server
/// import` beside the one that serves). Which fences that concerns stands in `fence_changes`, which
/// triggers write. A workspace is read when it is first asked for and followed from then on.
final class FenceMirror: Sendable {
    /// Whoever has it follows what was committed, for as long as reading it takes.
    let source: Mutex<Source>
    /// A connection of its own: what was committed is noticed also while fences are being read.
    private let watch: Mutex<CommitWatch>
    private let published = Mutex<[Int64: WorkspaceFences]>([:])
    /// Commits that have been noticed, and how many of them have been followed.
    private let commits = Atomic(0)
    private let followed = Atomic(-1)

    struct Source {
        fileprivate let connection: Connection
        /// Of the database, when it was last read; nil: not yet.
        fileprivate var dataVersion: Int64?
        /// The newest of `fence_changes` that has been followed.
        fileprivate var change: Int64 = 0
    }

    /// Changes that are kept for other processes; one that is behind by more reads everything.
    static let keptChanges: Int64 = 10_000

    init(path: String) throws(SQLiteError) {
        let connection = try Connection(path: path, mode: .readOnly)
        try connection.setPragma("query_only", 1)
        source = Mutex(Source(connection: connection))
        watch = Mutex(try CommitWatch(path: path))
    }

    /// A number that is another one after every commit; what was read before is to be read anew.
    ///
    /// It changes at once, whoever committed. Fences that somebody else is following just now are not
    /// waited for: what this process changed has been followed before its call returned, and what
    /// another one did may take as long as it takes to read.
    func commitNumber() throws -> Int {
        let number = try look()
        if followed.load(ordering: .acquiring) < number {
            _ = try source.withLockIfAvailable { try follow(&$0) }
        }
        return number
    }

    /// Follows what has been committed. Waits for others who do.
    func follow() throws {
        _ = try look()
        try source.withLock { try follow(&$0) }
    }

    /// The number of the commits that are there now.
    private func look() throws -> Int {
        try watch.withLock { watch in
            if try watch.hasChanged() { commits.add(1, ordering: .releasing) }
            return commits.load(ordering: .acquiring)
        }
    }

    /// As of the last look, or of now where nobody has asked for the workspace before.
    func fences(of workspace: Int64) throws -> WorkspaceFences {
        if let known = published.withLock({ $0[workspace] }) { return known }
        return try source.withLock { source in
            try follow(&source)
            if let known = published.withLock({ $0[workspace] }) { return known }
            let fences = try source.connection.withTransaction(.deferred) {
                // What is committed between the two is followed next time, and nothing is lost by
                // following it twice.
                try Self.read(workspace, on: source.connection)
            }
            published.withLock { $0[workspace] = fences }
            return fences
        }
    }

    private func follow(_ source: inout Source) throws {
        let connection = source.connection
        let number = commits.load(ordering: .acquiring)
        guard try Self.dataVersion(of: connection) != source.dataVersion else {
            return followed.store(number, ordering: .releasing)
        }
        try connection.withTransaction(.deferred) {
            let version = try Self.dataVersion(of: connection)
            let newest = try connection.first("SELECT max(id) FROM fence_changes") { $0.int64(0) }
            if let newest, newest != source.change {
                try follow(from: source.change, on: connection)
                source.change = newest
            }
            source.dataVersion = version
        }
        followed.store(number, ordering: .releasing)
    }

    private func follow(from change: Int64, on connection: Connection) throws {
        let oldest = try connection.first("SELECT min(id) FROM fence_changes") { $0.int64(0) } ?? 0
        let known = published.withLock { $0 }
        guard !known.isEmpty else { return }
        guard oldest <= change + 1 else {
            for workspace in known.keys {
                let fences = try Self.read(workspace, on: connection)
                published.withLock { $0[workspace] = fences }
            }
            return
        }
        let changed = try connection.query(
            "SELECT DISTINCT workspace, fence FROM fence_changes WHERE id > ?", change
        ) { (workspace: $0.int64(0), fence: $0.int64(1)) }
        for (workspace, rows) in Dictionary(grouping: changed, by: \.workspace) {
            guard var fences = known[workspace] else { continue }
            let entries = try rows.compactMap {
                try connection.first("\(Self.selectEntry) WHERE id = ?", $0.fence) {
                    Self.entry($0)
                } ?? nil
            }
            fences.replace(rows: rows.map(\.fence), with: entries)
            published.withLock { $0[workspace] = fences }
        }
    }

    private static func dataVersion(of connection: Connection) throws(SQLiteError) -> Int64? {
        try connection.first("PRAGMA data_version") { $0.int64(0) }
    }

    private static func read(
        _ workspace: Int64, on connection: Connection
    ) throws -> WorkspaceFences {
        // The index holds all columns, so the documents are not read.
        WorkspaceFences(
            try connection.query(
                "\(selectEntry) INDEXED BY fence_grounds WHERE workspace = ?", workspace
            ) { entry($0) }.compactMap { $0 })
    }

    private static let selectEntry = """
        SELECT id, fence_id, tag, expires_ms, restricted, latitude, longitude, reach_m, is_outline
            FROM fences
        """

    /// Nil: it has no ground that can be measured.
    private static func entry(_ row: borrowing Row) -> FenceEntry? {
        guard let latitude = row.optionalDouble(5), let longitude = row.optionalDouble(6),
            let center = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return FenceEntry(
            rowID: row.int64(0), id: row.text(1), tag: row.int64(2),
            expiresMilliseconds: row.optionalInt64(3), isRestricted: row.bool(4),
            ground: PackedGround(
                Ground(
                    center: center, reachMeters: row.double(7), isOutline: row.bool(8))))
    }
}
