import Glibc
import SQLite

/// Makes a database readable whose first page is damaged.
///
/// The first page holds what SQLite needs to find anything: its header and the root of the schema.
/// All queues of one schema version are made by the same statements, so the first page of a new one
/// fits an old one but for some numbers of the header; every other page is left as it is. What is
/// read by it is checked row by row like everything that is salvaged.
struct FrontPage {
    let files: QueueFiles

    /// Offsets in the header (sqlite.org/fileformat2.html section 1.3): the file's change counter,
    /// its size in pages, the list of free pages, and the counter for which the size is valid.
    private static let (changeCounter, pageCount, freeList, validFor) = (24, 28, 32, 92)

    /// Writes a copy of the damaged file `path` with a new first page beside it and answers its path;
    /// nil where there is no room, or the file has none but its first page.
    func repairedCopy(of path: String) -> String? {
        guard var page = newFirstPage() else { return nil }
        let size = page.count
        let copy = path + ".front"
        guard let (source, length) = Self.open(path), length >= 2 * size else { return nil }
        defer { close(source) }
        guard let free = files.bytesAboveReserve(), free > Int64(length) else { return nil }
        Self.put(UInt32(clamping: length / size), at: Self.pageCount, in: &page)
        Self.put(1, at: Self.changeCounter, in: &page)
        Self.put(1, at: Self.validFor, in: &page)
        Self.put(0, at: Self.freeList, in: &page)
        Self.put(0, at: Self.freeList + 4, in: &page)
        unlink(copy)
        guard (try? QueueFiles.makeEmptyFile(copy)) != nil else { return nil }
        let target = Glibc.open(copy, O_WRONLY | O_CLOEXEC)
        guard target >= 0 else { return nil }
        defer { close(target) }
        guard Self.copy(source, from: size, to: target, after: page) else {
            unlink(copy)
            return nil
        }
        return copy
    }

    /// The first page of a queue that was just made.
    private func newFirstPage() -> [UInt8]? {
        let path = "\(files.quarantine)/new.db"
        defer { Self.remove(path) }
        Self.remove(path)
        guard (try? QueueFiles.makeEmptyFile(path)) != nil else { return nil }
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.setPragma("page_size", StorageLimits.pageSize)
            try connection.setPragma("journal_mode", "WAL")
            try connection.migrate(QueueSchema.migrations)
            try connection.checkpoint(.truncate)
        } catch {
            return nil
        }
        guard let (descriptor, _) = Self.open(path) else { return nil }
        defer { close(descriptor) }
        var page = [UInt8](repeating: 0, count: StorageLimits.pageSize)
        return pread(descriptor, &page, page.count, 0) == page.count ? page : nil
    }

    static func remove(_ path: String) {
        for suffix in QueueFiles.suffixes { unlink(path + suffix) }
    }

    private static func open(_ path: String) -> (Int32, Int)? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            return nil
        }
        return (descriptor, Int(status.st_size))
    }

    /// Big-endian, as all numbers of the format.
    private static func put(_ value: UInt32, at offset: Int, in page: inout [UInt8]) {
        for index in 0..<4 {
            page[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32(index)))
        }
    }

    /// Writes `page`, then everything of `source` from `offset` on.
    private static func copy(
        _ source: Int32, from offset: Int, to target: Int32, after page: [UInt8]
    ) -> Bool {
        guard write(target, page, page.count) == page.count else { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var place = offset
        while true {
            let count = pread(source, &buffer, buffer.count, off_t(place))
            guard count > 0 else { return count == 0 }
            guard write(target, buffer, count) == count else { return false }
            place += count
        }
    }
}
