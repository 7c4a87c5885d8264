import Glibc

/// Whose the files of a state directory are to be.
///
/// A root process beside an agent that has a user of its own (a person's `queue flush`, or `run` by
/// hand) gives what it makes to that user: else the agent could not open its queue any more, and
/// would lose what it keeps in memory instead.
public struct FolderOwner: Hashable, Sendable {
    public let user: uid_t
    public let group: gid_t

    /// Of a folder, links followed; where that is root's, of the queue in it, as in a folder that a
    /// group may write to. Nil: there is no such folder.
    init?(of folder: String) {
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        for name in Self.witnesses where status.st_uid == 0 {
            var file = stat()
            if lstat("\(folder)/\(name)", &file) == 0, file.st_mode & S_IFMT == S_IFREG {
                status.st_uid = file.st_uid
                status.st_gid = file.st_gid
            }
        }
        (user, group) = (status.st_uid, status.st_gid)
    }

    private static let witnesses = ["queue.db", "queue.lock"]

    /// To whom this process gives what it makes at `path`; nil: it keeps it. Only root may give away.
    public static func receiver(of path: String) -> FolderOwner? {
        guard geteuid() == 0, let owner = FolderOwner(of: QueueFiles.folder(of: path)),
            owner.user != 0
        else { return nil }
        return owner
    }

    /// Answers why an open file or folder could not be given away, in words; nil: it is its owner's.
    func take(_ descriptor: Int32) -> String? {
        guard fchown(descriptor, user, group) != 0 else { return nil }
        return "it cannot be given to uid \(user), whose folder it is in: "
            + "\(QueueFiles.words(errno)); run this as that user"
    }
}
