import Glibc

/// Whole small files: reading with a cap, and replacing so that a power cut leaves old or new.
public enum FileContents {
    /// All bytes of a file. Throws EFBIG when it holds more than `limit`.
    ///
    /// A pipe is refused unless `orPipe`, for it would be waited for without an end.
    public static func read(
        _ path: String, limit: Int, orPipe: Bool = false
    ) throws(SystemError) -> [UInt8] {
        let file = try FileDescriptor.open(path, O_RDONLY | (orPipe ? 0 : O_NONBLOCK))
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw .last("fstat", path) }
        guard orPipe || status.st_mode & S_IFMT != S_IFIFO else {
            throw SystemError("read", path, code: SystemError.notRegular)
        }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(max(limit, 1), 65_536) + 1)
        while true {
            let count: Int
            do { count = try file.read(into: &buffer) } catch {
                throw SystemError("read", path, code: error.code)
            }
            if count == 0 { return contents }
            contents += buffer[..<count]
            if contents.count > limit { throw SystemError("read", path, code: EFBIG) }
        }
    }

    /// The first line without white space around it; nil for a missing, empty or binary file.
    /// Bytes of 0, with which the device tree ends its texts, are cut off.
    public static func line(_ path: String) -> String? {
        guard let bytes = try? read(path, limit: 4096) else { return nil }
        let blank: [UInt8] = [0, 9, 13, 32]
        let first = bytes.prefix { $0 != 10 }.drop { blank.contains($0) }
        let trimmed = first.reversed().drop { blank.contains($0) }.reversed()
        guard !trimmed.isEmpty, trimmed.allSatisfy({ $0 > 31 }) else { return nil }
        return String(validating: trimmed, as: UTF8.self)
    }

    /// Replaces a file in one step: a temporary file beside it, fsync, rename, fsync of the folder.
    ///
    /// On an error the old file stands and the temporary one is gone, except where only the folder
    /// could not be opened or synchronised, which the error then names: the new file is in place,
    /// and a power cut may bring back the old one. The new file belongs to the caller, with `mode`.
    public static func replace(
        _ path: String, with bytes: [UInt8], mode: mode_t = 0o600
    ) throws(SystemError) {
        try replace(path, with: bytes, mode: mode, owner: nil)
    }

    /// As with a mode; the new file belongs to whom `access` says. Throws EPERM where the caller may
    /// not give it away.
    public static func replace(
        _ path: String, with bytes: [UInt8], access: FileOwnership
    ) throws(SystemError) {
        try replace(path, with: bytes, mode: access.mode, owner: access)
    }

    private static func replace(
        _ path: String, with bytes: [UInt8], mode: mode_t, owner: FileOwnership?
    ) throws(SystemError) {
        let folder = Self.folder(of: path)
        let temporary = "\(path).\(UInt64.random(in: 0...UInt64.max)).new"
        do throws(SystemError) {
            try write(bytes, to: temporary, mode: mode, owner: owner)
            guard rename(temporary, path) == 0 else { throw .last("rename", path) }
        } catch {
            unlink(temporary)
            throw error
        }
        try synchronise(folder)
    }

    private static func write(
        _ bytes: [UInt8], to path: String, mode: mode_t, owner: FileOwnership?
    ) throws(SystemError) {
        // Nobody else may open it before it belongs to whom it is for.
        let file = try FileDescriptor.open(
            path, O_WRONLY | O_CREAT | O_EXCL, mode: owner == nil ? mode : mode & 0o600)
        if let owner { try give(file, at: path, to: owner) }
        // The mode of open(2) is subject to the umask.
        guard fchmod(file.number, mode) == 0 else { throw .last("fchmod", path) }
        do { try file.writeAll(bytes) } catch {
            throw SystemError("write", path, code: error.code)
        }
        guard fsync(file.number) == 0 else { throw .last("fsync", path) }
    }

    /// Asks for nothing that is so already: that needs no permission.
    private static func give(
        _ file: borrowing FileDescriptor, at path: String, to access: FileOwnership
    ) throws(SystemError) {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw .last("fstat", path) }
        guard status.st_uid != access.owner || status.st_gid != access.group else { return }
        guard fchown(file.number, access.owner, access.group) == 0 else {
            throw .last("fchown", path)
        }
    }

    private static func synchronise(_ folder: String) throws(SystemError) {
        let opened = try FileDescriptor.open(folder, O_RDONLY | O_DIRECTORY)
        // Some file systems refuse to sync a folder; the rename itself has been done.
        guard fsync(opened.number) == 0 || errno == EINVAL else { throw .last("fsync", folder) }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
