import Glibc

/// Where symbolic links lead.
public enum RealPath {
    /// The path without symbolic links; nil when it leads nowhere.
    public static func of(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
