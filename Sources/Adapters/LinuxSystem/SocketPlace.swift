import CLinux
import Glibc

/// The path of a listening Unix socket, held by a lock beside it while this object lives.
///
/// Only the holder of the lock may remove the socket's file, so of two servers that start at once
/// exactly one listens, and a file that a killed server left behind stops nobody.
final class SocketPlace: Sendable {
    private let address: UnixAddress
    private let path: String
    private let lock: FileDescriptor

    init(_ path: String) throws(SystemError) {
        guard let address = UnixAddress(path), !address.isAbstract else {
            throw SystemError("bind", path, code: ENAMETOOLONG)
        }
        self.path = path
        self.address = address
        lock = try FileDescriptor.open("\(path).lock", O_RDWR | O_CREAT, mode: 0o600)
        guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else {
            throw SystemError("bind", path, code: errno == EWOULDBLOCK ? EADDRINUSE : errno)
        }
    }

    func listen(mode: mode_t, group: String?) throws(SystemError) -> SharedDescriptor {
        try removeStaleFile()
        let number = clinux_stream_socket(1)
        guard number >= 0 else { throw .last("socket", path) }
        let descriptor = SharedDescriptor(owning: number)
        // The file is made with the mode of the socket: nobody gets in before chmod below.
        fchmod(number, 0o600)
        guard address.withSocketAddress({ bind(number, $0, $1) }) == 0 else {
            throw .last("bind", path)
        }
        if let id = group.flatMap(SystemGroup.id) {
            // Without the right to give it away the owner's own group stays.
            _ = chown(path, uid_t.max, id)
        }
        guard chmod(path, mode) == 0 else { throw .last("chmod", path) }
        guard Glibc.listen(number, 16) == 0 else { throw .last("listen", path) }
        return descriptor
    }

    /// Removes the file and lets others in.
    func leave() {
        unlink(path)
        flock(lock.number, LOCK_UN)
    }

    private func removeStaleFile() throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError("bind", path, code: EEXIST)
        }
        if isAnswered() { throw SystemError("bind", path, code: EADDRINUSE) }
        guard unlink(path) == 0 else { throw .last("unlink", path) }
    }

    /// Whether somebody who does not use the lock listens there.
    private func isAnswered() -> Bool {
        let number = clinux_stream_socket(1)
        guard number >= 0 else { return false }
        let probe = FileDescriptor(owning: number)
        return address.withSocketAddress { connect(probe.number, $0, $1) } == 0
            || errno == EAGAIN
    }
}
