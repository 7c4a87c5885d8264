import Glibc

/// Whose a file is, and who may do what with it.
public struct FileOwnership: Hashable, Sendable {
    public var owner: uid_t
    public var group: gid_t
    /// Permission bits, 0...0o7777.
    public var mode: mode_t

    public init(owner: uid_t, group: gid_t, mode: mode_t) {
        self.owner = owner
        self.group = group
        self.mode = mode
    }

    /// Of a file, links followed. Nil: there is none. Throws what stat(2) says else.
    public init?(of path: String) throws(SystemError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .last("stat", path)
        }
        self.init(owner: status.st_uid, group: status.st_gid, mode: status.st_mode & 0o7777)
    }
}
