import AgentStorage
import Glibc
import LinuxSystem

/// Whether a state directory can ever be used, as its path stands.
enum StateDirectory {
    /// Why the path is mistyped, in words; nil: the folder is there, or can be made in its parent.
    ///
    /// What the disk says (read-only, full, no permission) is no matter of the path and may pass: the
    /// queue goes on in memory then, and tells.
    static func problem(_ path: String) -> String? {
        var status = stat()
        if stat(path, &status) == 0 {
            return status.st_mode & S_IFMT == S_IFDIR ? nil : words(ENOTDIR)
        }
        switch errno {
        case ENOENT: return missing(path)
        case ENOTDIR, ELOOP, ENAMETOOLONG: return words(errno)
        default: return nil
        }
    }

    /// Replaces a small file in the directory. What root writes belongs to the directory's owner, as
    /// the queue's files do.
    static func replace(
        _ name: String, in directory: String, with bytes: [UInt8]
    ) throws(SystemError) {
        let path = "\(directory)/\(name)"
        guard let owner = FolderOwner.receiver(of: path) else {
            return try FileContents.replace(path, with: bytes)
        }
        try FileContents.replace(
            path, with: bytes,
            access: FileOwnership(owner: owner.user, group: owner.group, mode: 0o600))
    }

    private static func missing(_ path: String) -> String? {
        var status = stat()
        if lstat(path, &status) == 0 { return "it is a link to what does not exist" }
        let parent = parent(of: path)
        guard stat(parent, &status) != 0 else { return nil }
        return errno == ENOENT ? "\(parent) does not exist" : nil
    }

    private static func parent(of path: String) -> String {
        var rest = Substring(path)
        while rest.count > 1, rest.hasSuffix("/") { rest.removeLast() }
        guard let slash = rest.lastIndex(of: "/") else { return "." }
        return slash == rest.startIndex ? "/" : String(rest[..<slash])
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
