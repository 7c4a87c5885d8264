import Glibc

/// What lies beside the database while a new one takes its place, and what tells that there was one.
extension QueueFiles {
    static let salvageName = "queue.db.salvage"
    /// A replacement that is not complete: the next start begins it anew.
    var salvage: String { "\(directory)/\(Self.salvageName)" }
    /// A complete one, which takes the database's place whatever happens in between.
    var replacement: String { "\(directory)/queue.db.new" }
    /// A copy of a damaged database with another first page, and the database of that page.
    var front: String { "\(directory)/queue.db.front" }
    var first: String { "\(directory)/queue.db.first" }
    /// Holds the epoch of the queue, and outlives its file.
    var epochMark: String { "\(directory)/queue.epoch" }

    /// Removes what an interrupted process left of its work; nothing of it is needed.
    func removeTemporaries() {
        for path in [salvage, front, first] { Self.remove(path) }
        // Of a replacement that was read before it took its place, or never did.
        for suffix in Self.suffixes where !suffix.isEmpty { unlink(replacement + suffix) }
        // As earlier versions named them.
        for name in Self.entries(of: quarantine) {
            let stem =
                Self.suffixes.last { !$0.isEmpty && name.hasSuffix($0) }
                .map { String(name.dropLast($0.count)) } ?? name
            if stem.hasSuffix("-queue.db.front") || stem == "new.db" {
                unlink("\(quarantine)/\(name)")
            }
        }
    }

    /// Removes a database and the files that belong to it.
    static func remove(_ path: String) {
        for suffix in suffixes { unlink(path + suffix) }
    }

    /// Gives the salvaged database, which is closed, the name that says that it is complete.
    func nameReplacement() throws(QueueOpening.Failure) {
        guard try Self.size(of: salvage + "-wal") == 0 else {
            throw .unavailable("\(salvage): its log was not copied", isFull: false)
        }
        for suffix in Self.suffixes where !suffix.isEmpty { unlink(salvage + suffix) }
        try Self.synchronise(salvage)
        guard rename(salvage, replacement) == 0 else { throw .system(salvage, errno) }
        try Self.synchronise(directory)
    }

    /// Puts the complete replacement in the place of the database, which must be away.
    func placeReplacement() throws(QueueOpening.Failure) {
        guard rename(replacement, database) == 0 else { throw .system(replacement, errno) }
        try Self.synchronise(directory)
    }

    /// Makes a file, or the entries of a folder, durable.
    static func synchronise(_ path: String) throws(QueueOpening.Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path, errno) }
        defer { close(descriptor) }
        // Some file systems have no fsync for folders.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .system(path, errno) }
    }

    // MARK: The mark

    /// What became of a queue that was here and is not any more; nil: it is there, or there was none.
    /// SQLite would take an empty file for a new one, and delete the log beside it.
    var loss: String? {
        get throws(QueueOpening.Failure) {
            guard try Self.size(of: database) == 0 else { return nil }
            let epoch = markedEpoch
            if epoch == nil, try Self.size(of: database + "-wal") == 0 { return nil }
            let what = Self.exists(database) ? "is empty" : "is gone"
            return "\(name) \(what)" + (epoch.map { ", its epoch was \($0)" } ?? "")
        }
    }

    /// Nil: there is none.
    var markedEpoch: String? {
        let descriptor = open(epochMark, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &text, text.count, 0)
        return String(decoding: text[..<max(0, count)].prefix { $0 != 10 }, as: UTF8.self)
    }

    /// Leaves the mark for a queue whose file is durable. A disk that does not take it has it at the
    /// next start.
    func mark(epoch: String) {
        guard markedEpoch != epoch else { return }
        guard let descriptor = try? Self.openOrMake(epochMark, O_WRONLY | O_TRUNC) else { return }
        let text = Array("\(epoch)\n".utf8)
        _ = write(descriptor, text, text.count)
        fsync(descriptor)
        close(descriptor)
        synchroniseDirectory()
    }
}
