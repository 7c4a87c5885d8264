import Glibc

/// Whose the files of a state directory are, for `doctor`; looks and changes nothing.
public struct StateOwnership: Hashable, Sendable {
    public struct Stranger: Hashable, Sendable {
        public var path: String
        public var user: UInt32
    }

    /// Whose they are to be.
    public let user: UInt32
    /// Files and folders of somebody else, by path; as far as this process may look.
    public let strangers: [Stranger]

    /// What a file system of its own has at its top, as root's.
    private static let fileSystemsOwn = "lost+found"

    /// Nil: there is no such folder.
    public init?(of directory: String) {
        guard let owner = FolderOwner(of: directory) else { return nil }
        let folders = [directory, QueueFiles(directory: directory).quarantine]
        var found: [Stranger] = []
        for folder in folders {
            for name in QueueFiles.entries(of: folder) where name != Self.fileSystemsOwn {
                let path = "\(folder)/\(name)"
                var status = stat()
                guard lstat(path, &status) == 0, status.st_uid != owner.user else { continue }
                found.append(Stranger(path: path, user: status.st_uid))
            }
        }
        user = owner.user
        strangers = found.sorted { $0.path < $1.path }
    }
}
