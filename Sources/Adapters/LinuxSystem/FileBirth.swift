import CLinux

/// When a file was made, which no copy of it has in common with it.
public enum FileBirth {
    /// Nanoseconds since 1970, links followed (statx(2), STATX_BTIME). Nil: there is no such file, or its
    /// file system does not keep that.
    public static func nanoseconds(of path: String) -> Int64? {
        let birth = clinux_birth(path)
        return birth < 0 ? nil : birth
    }
}
