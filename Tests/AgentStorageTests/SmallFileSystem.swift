import Foundation
import TestSupport
import Testing

/// A small file system of its own, in memory.
final class SmallFileSystem {
    let directory: TemporaryDirectory

    /// Mounting needs root, and a kernel that lets it.
    static let isPossible: Bool = {
        guard getuid() == 0, let directory = try? TemporaryDirectory() else { return false }
        guard mount("tmpfs", directory.path, "tmpfs", 0, "size=1m") == 0 else { return false }
        return umount(directory.path) == 0
    }()

    init(kibibytes: Int) throws {
        directory = try TemporaryDirectory()
        try #require(mount("tmpfs", directory.path, "tmpfs", 0, "size=\(kibibytes)k") == 0)
    }

    convenience init(megabytes: Int) throws { try self.init(kibibytes: megabytes * 1024) }

    func setReadOnly(_ isReadOnly: Bool) throws {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        try #require(mount("tmpfs", directory.path, "tmpfs", flags, nil) == 0)
    }

    /// Writes a file that leaves `bytes` free.
    func fill(leaving bytes: Int, named name: String = "filler") throws {
        var status = statvfs()
        try #require(statvfs(directory.path, &status) == 0)
        let free = Int(status.f_bavail) * Int(status.f_frsize)
        let filler = open(directory.file(name), O_WRONLY | O_CREAT, 0o600)
        defer { close(filler) }
        try #require(posix_fallocate(filler, 0, off_t(max(1, free - bytes))) == 0)
    }

    deinit { umount2(directory.path, Int32(MNT_DETACH)) }
}

extension SmallFileSystem {
    /// Takes what has become free since.
    func fillAgain() throws {
        var status = statvfs()
        try #require(statvfs(directory.path, &status) == 0)
        let free = Int(status.f_bavail) * Int(status.f_frsize)
        guard free > 0 else { return }
        let filler = open(directory.file("filler"), O_WRONLY, 0o600)
        defer { close(filler) }
        var size = stat()
        fstat(filler, &size)
        _ = posix_fallocate(filler, size.st_size, off_t(free))
    }
}
