import Glibc

/// Who may do what with a path, as seen by this process.
public struct FileAccess: Hashable, Sendable {
    public var kind: Kind
    /// The nine bits and more: 0o600.
    public var mode: UInt32
    public var owner: String
    public var group: String
    public var isReadable: Bool
    /// Nil: it can be written to; else the words of the system, "Read-only file system".
    public var writeRefusal: String?

    public enum Kind: Hashable, Sendable {
        case file, directory, characterDevice, other
    }

    /// Throws where the path cannot be looked at, as when it does not exist.
    public static func of(_ path: String) throws(SystemError) -> FileAccess {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last("stat", path) }
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFCHR: .characterDevice
            default: .other
            }
        // access(2) asks for the real user, as a person at the command line is.
        // The errno is taken at once: looking names up below changes it.
        let isWritable = access(path, kind == .directory ? W_OK | X_OK : W_OK) == 0
        let refusal = isWritable ? nil : SystemError.last("access", path).reason
        return FileAccess(
            kind: kind, mode: status.st_mode & 0o7777,
            owner: SystemGroup.userName(of: status.st_uid),
            group: SystemGroup.name(of: status.st_gid), isReadable: access(path, R_OK) == 0,
            writeRefusal: refusal)
    }

    /// "0600"
    public var modeText: String {
        let digits = String(mode & 0o777, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// "mode 0660, root:dialout"
    public var ownerText: String { "mode \(modeText), \(owner):\(group)" }

    /// The user of this process.
    public static var currentUser: String { SystemGroup.userName(of: getuid()) }

    /// The number itself where nobody has it.
    public static func userName(of id: UInt32) -> String { SystemGroup.userName(of: id) }

    public static var isRoot: Bool { geteuid() == 0 }
}
