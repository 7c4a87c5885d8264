import Delivery
import Glibc

/// The queue's folder and what lies in it. Everything is for the service's user alone.
struct QueueFiles: Hashable, Sendable {
    let directory: String
    /// Of the database; another one while its replacement is filled.
    var name = "queue.db"

    var database: String { "\(directory)/\(name)" }
    var lock: String { "\(directory)/queue.lock" }
    var ballast: String { "\(directory)/ballast" }
    var quarantine: String { "\(directory)/quarantine" }
    /// The positions that the device keeps for itself.
    var positions: String { "\(directory)/positions.db" }

    /// The database and the files that belong to it.
    static let suffixes = ["", "-wal", "-shm", "-journal"]

    static let directoryMode: mode_t = 0o700
    static let fileMode: mode_t = 0o600

    /// Makes the folder, parents excepted; one that exists keeps its mode, which is its owner's
    /// choice. Throws the reason where there is none in the end.
    func makeDirectory() throws(QueueError) { try make(directory) }

    private func make(_ path: String) throws(QueueError) {
        guard mkdir(path, Self.directoryMode) != 0 else { return }
        let reason = errno
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .storage(path: path, detail: Self.refusal(path, reason))
        }
    }

    /// The mode of a folder that others may look into, "0755"; nil: they may not.
    var openMode: String? {
        var status = stat()
        guard stat(directory, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
        return "0" + String(status.st_mode & 0o7777, radix: 8)
    }

    /// Makes the empty database file: SQLite would make it with the umask's mode, and gives its
    /// other files the mode and the owner of this one. Throws where one of those keeps us out, which
    /// SQLite could not say.
    func makeDatabase() throws(QueueError) {
        let descriptor = try Self.openOrMake(database, O_RDWR)
        fchmod(descriptor, Self.fileMode)
        close(descriptor)
        for suffix in Self.suffixes where Self.exists(database + suffix) {
            let path = database + suffix
            guard access(path, R_OK | W_OK) == 0 else {
                throw .storage(path: path, detail: Self.refusal(path, errno))
            }
        }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Bytes of a file; 0 where there is none. Throws where the disk does not say: that is no loss.
    static func size(of path: String) throws(QueueOpening.Failure) -> Int64 {
        var status = stat()
        guard stat(path, &status) != 0 else { return Int64(status.st_size) }
        guard errno == ENOENT else { throw .system(path, errno) }
        return 0
    }

    /// Makes the folder's entries durable.
    func synchroniseDirectory() {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    // MARK: Space

    /// Bytes that may still be written before the file system counts as full; nil: not known.
    func bytesAboveReserve() -> Int64? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        let block = Int64(clamping: status.f_frsize)
        let free = Int64(clamping: status.f_bavail).multipliedClamped(by: block)
        let total = Int64(clamping: status.f_blocks).multipliedClamped(by: block)
        let reserve = min(StorageLimits.freeBytes, Int64(Double(total) * StorageLimits.freePart))
        return free - reserve
    }

    /// Whether the index of the log will find its blocks. SQLite writes it through a mapping and makes
    /// sure of one block in 4 KiB; where blocks are smaller, the others come with the first access,
    /// which is a SIGBUS where there is none. Not known counts as yes.
    var hasRoomForIndex: Bool {
        var status = statvfs()
        guard statvfs(directory, &status) == 0, status.f_frsize < StorageLimits.indexPage else {
            return true
        }
        let free = Int64(clamping: status.f_bavail)
            .multipliedClamped(by: Int64(clamping: status.f_frsize))
        return free >= StorageLimits.indexRoomBytes
    }

    var hasBallast: Bool { Self.exists(ballast) }

    /// Room that there must be for a ballast of so many bytes: half as much more for the log.
    static func roomForBallast(bytes: Int64) -> Int64 { bytes + bytes / 2 }

    /// Writes the ballast with real blocks, where there is room for it.
    func makeBallast(bytes: Int64) {
        guard bytes > 0, !hasBallast, let free = bytesAboveReserve(),
            free >= Self.roomForBallast(bytes: bytes)
        else { return }
        guard let descriptor = try? Self.openOrMake(ballast, O_WRONLY) else { return }
        let failed = posix_fallocate(descriptor, 0, off_t(bytes)) != 0
        close(descriptor)
        if failed { unlink(ballast) }
    }

    /// Gives the ballast's room back; false: there was none.
    func dropBallast() -> Bool { unlink(ballast) == 0 }

    static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}

extension Int64 {
    /// The greatest number where the product is larger.
    func multipliedClamped(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
