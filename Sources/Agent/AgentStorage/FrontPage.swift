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

    /// Writes a copy of the damaged database with a new first page, with its log or without, to
    /// `QueueFiles.front`; false: there is nothing in it but its first page. Throws where the disk
    /// does not take the copy.
    func makeCopy(withLog hasLog: Bool) throws -> Bool {
        guard let (source, length) = Self.open(files.database) else { return false }
        defer { close(source) }
        let size = StorageLimits.pageSize
        let hasLog = try hasLog && QueueFiles.size(of: files.database + "-wal") > 0
        guard hasLog || length >= 2 * size else { return false }
        var page = try newFirstPage()
        Self.put(UInt32(clamping: max(1, length / size)), at: Self.pageCount, in: &page)
        Self.put(1, at: Self.changeCounter, in: &page)
        Self.put(1, at: Self.validFor, in: &page)
        Self.put(0, at: Self.freeList, in: &page)
        Self.put(0, at: Self.freeList + 4, in: &page)
        QueueFiles.remove(files.front)
        try Self.copy(source, length, from: size, to: files.front, after: page)
        guard hasLog else { return true }
        guard let (log, logLength) = Self.open(files.database + "-wal") else { return false }
        defer { close(log) }
        try Self.copy(log, logLength, from: 0, to: files.front + "-wal", after: [])
        return true
    }

    /// The first page of a queue that was just made.
    private func newFirstPage() throws -> [UInt8] {
        let path = files.first
        defer { QueueFiles.remove(path) }
        QueueFiles.remove(path)
        try QueueFiles.makeEmptyFile(path)
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            try connection.setPragma("page_size", StorageLimits.pageSize)
            try connection.setPragma("journal_mode", "WAL")
            try connection.migrate(QueueSchema.migrations)
            try connection.checkpoint(.truncate)
        }
        var page = [UInt8](repeating: 0, count: StorageLimits.pageSize)
        guard let (descriptor, _) = Self.open(path) else { throw Self.failure(path) }
        defer { close(descriptor) }
        guard pread(descriptor, &page, page.count, 0) == page.count else {
            throw Self.failure(path)
        }
        return page
    }

    private static func failure(_ path: String) -> QueueOpening.Failure {
        .system(path, errno)
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

    /// Writes `page`, then everything of `source` from `offset` on, to a new file.
    private static func copy(
        _ source: Int32, _ length: Int, from offset: Int, to path: String, after page: [UInt8]
    ) throws {
        try QueueFiles.makeEmptyFile(path)
        let target = Glibc.open(path, O_WRONLY | O_CLOEXEC)
        guard target >= 0 else { throw failure(path) }
        defer { close(target) }
        try put(page, to: target, path)
        // Small, so that a block that cannot be read costs little else.
        var buffer = [UInt8](repeating: 0, count: 4096)
        var place = offset
        while place < length {
            let wanted = min(buffer.count, length - place)
            let count = pread(source, &buffer, wanted, off_t(place))
            guard count != 0 else { return }
            if count < 0 { buffer = [UInt8](repeating: 0, count: buffer.count) }
            try put(buffer[..<(count < 0 ? wanted : count)], to: target, path)
            place += count < 0 ? wanted : count
        }
    }

    private static func put(
        _ bytes: some Collection<UInt8>, to target: Int32, _ path: String
    ) throws {
        var rest = ArraySlice(Array(bytes))
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }
}
