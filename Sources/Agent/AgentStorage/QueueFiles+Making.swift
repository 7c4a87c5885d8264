import Delivery
import Glibc

/// Every file and folder of the queue is made here, so that it belongs to the agent's user, whoever
/// makes it; one that cannot be given to that user is not left behind.
extension QueueFiles {
    /// Opens a file, which is made where there is none.
    static func openOrMake(_ path: String, _ flags: Int32) throws(QueueError) -> Int32 {
        let owner = FolderOwner.receiver(of: path)
        // Root must not write wherever somebody else's link leads.
        let flags = flags | O_CLOEXEC | (owner == nil ? 0 : O_NOFOLLOW)
        var opened = open(path, flags)
        if opened < 0, errno == ENOENT {
            opened = open(path, flags | O_CREAT | O_EXCL, fileMode)
            if opened >= 0 {
                try hand(opened, path, to: owner) { unlink(path) }
            } else if errno == EEXIST {
                // Somebody else has made it meanwhile.
                opened = open(path, flags)
            }
        }
        guard opened >= 0 else { throw .storage(path: path, detail: refusal(path, errno)) }
        return opened
    }

    /// Makes an empty file with the mode of the queue's files.
    static func makeEmptyFile(_ path: String) throws(QueueError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, fileMode)
        guard descriptor >= 0 else { throw .storage(path: path, detail: refusal(path, errno)) }
        try hand(descriptor, path, to: FolderOwner.receiver(of: path)) { unlink(path) }
        close(descriptor)
    }

    /// Makes a folder within the queue's; one that exists stays as it is.
    static func makeFolder(_ path: String) throws(QueueOpening.Failure) {
        guard mkdir(path, directoryMode) == 0 else {
            let reason = errno
            if reason == EEXIST { return }
            throw failure("\(path): \(refusal(path, reason))", reason)
        }
        guard let owner = FolderOwner.receiver(of: path) else { return }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path, errno) }
        do { try hand(descriptor, path, to: owner) { rmdir(path) } } catch {
            throw failure(error.description, EPERM)
        }
        close(descriptor)
    }

    /// Closes the descriptor, and takes back what was made, where it cannot be given away.
    private static func hand(
        _ descriptor: Int32, _ path: String, to owner: FolderOwner?, undo: () -> Int32
    ) throws(QueueError) {
        guard let problem = owner?.take(descriptor) else { return }
        close(descriptor)
        _ = undo()
        throw .storage(path: path, detail: problem)
    }

    static func failure(_ detail: String, _ code: Int32) -> QueueOpening.Failure {
        .unavailable(detail, isFull: code == ENOSPC || code == EDQUOT)
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    // MARK: Advice

    /// What the kernel's refusal means and what to do about it: where it is for want of permission,
    /// whose the file or its folder is.
    static func refusal(_ path: String, _ code: Int32) -> String {
        guard code == EACCES || code == EPERM else { return words(code) }
        let user = geteuid()
        for place in [path, folder(of: path)] {
            var status = stat()
            guard lstat(place, &status) == 0 else { continue }
            if status.st_uid != user {
                return "\(words(code)): \(place) belongs to uid \(status.st_uid), this process is "
                    + "uid \(user); where that is the agent's user, 'chown \(user) \(place)'"
            }
            if status.st_mode & S_IFMT != S_IFLNK, status.st_mode & 0o600 != 0o600 {
                return "\(words(code)): the mode of \(place) keeps its owner out; "
                    + "'chmod u+rwX \(place)'"
            }
        }
        return words(code)
    }
}
