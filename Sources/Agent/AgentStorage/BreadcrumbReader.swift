import Delivery
import Glibc
import SQLite

/// Looks at the positions that a device has kept, beside its agent or without one, and writes nothing.
public final class BreadcrumbReader {
    private let connection: Connection
    private let path: String

    /// Rows that are read at once.
    private static let page = 500

    /// Whether any were ever kept, as far as this user can see.
    public static func exists(in directory: String) -> Bool {
        access(QueueFiles(directory: directory).positions, F_OK) == 0
    }

    /// Throws where there are none, or none that can be read.
    public init(directory: String, isTraceless: Bool = false) throws(QueueError) {
        path = QueueFiles(directory: directory).positions
        guard access(path, F_OK) == 0 else {
            throw .storage(path: path, detail: QueueFiles.words(errno))
        }
        var failure = "no positions"
        for mode in SQLiteQueueReader.modes(path, isTraceless: isTraceless) {
            do {
                let opened = try Connection(
                    path: path, mode: mode,
                    busyTimeoutMilliseconds: StorageLimits.busyMilliseconds)
                let found = try opened.schemaVersion()
                guard found <= BreadcrumbFile.version else {
                    throw QueueError.newerVersion(
                        path: path, found: found, supported: BreadcrumbFile.version)
                }
                connection = opened
                return
            } catch let error as QueueError {
                throw error
            } catch {
                failure = "\(error)"
            }
        }
        throw .storage(path: path, detail: failure)
    }

    /// How many there are; reads two of them.
    public func count() throws(QueueError) -> Int64 {
        let ends = try ends()
        return ends.last == 0 ? 0 : ends.last - ends.first + 1
    }

    /// Hands over the newest `limit`, oldest first; nil for a row that is none.
    public func forEach(
        newest limit: Int64 = .max, _ visit: (Breadcrumb?) throws -> Void
    ) throws {
        let ends = try ends()
        var last = max(ends.first - 1, ends.last - min(limit, ends.last))
        while last < ends.last {
            var rows: [(Int64, Breadcrumb?)] = []
            do {
                rows = try connection.query(
                    """
                    SELECT boot_id, mono_ms, utc_ms, lat_e7, lon_e7, accuracy_cm, speed_cms, id
                    FROM positions LEFT JOIN boots ON number = boot
                    WHERE id > ? AND id <= ? ORDER BY id LIMIT ?
                    """, last, ends.last, Self.page
                ) { ($0.int64(7), BreadcrumbFile.breadcrumb($0)) }
            } catch {
                throw QueueError.storage(path: path, detail: "\(error)")
            }
            guard let newest = rows.last else { return }
            for (_, crumb) in rows { try visit(crumb) }
            last = newest.0
        }
    }

    private func ends() throws(QueueError) -> (first: Int64, last: Int64) {
        do throws(SQLiteError) {
            let first = try connection.first("SELECT min(id) FROM positions") { $0.int64(0) }
            let last = try connection.first("SELECT max(id) FROM positions") { $0.int64(0) }
            return (first ?? 0, last ?? 0)
        } catch {
            throw .storage(path: path, detail: "\(error)")
        }
    }
}
