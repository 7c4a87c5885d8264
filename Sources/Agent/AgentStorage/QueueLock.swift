import Delivery
import Glibc

/// Keeps a second process out of the queue for as long as it lives; the kernel drops it with the
/// process, however that ends.
final class QueueLock {
    private let descriptor: Int32

    /// Throws `heldByAnotherProcess` with the holder's pid.
    init(_ path: String) throws(QueueError) {
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw .storage(path: path, detail: QueueFiles.words(errno))
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            let pid = Self.pid(in: opened)
            close(opened)
            guard reason == EWOULDBLOCK else {
                throw .storage(path: path, detail: QueueFiles.words(reason))
            }
            throw .heldByAnotherProcess(path: path, pid: pid)
        }
        fchmod(opened, 0o600)
        let text = Array("\(getpid())\n".utf8)
        // The pid only helps a person; a full disk must not keep the agent from starting.
        if ftruncate(opened, 0) == 0 { _ = pwrite(opened, text, text.count, 0) }
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }

    private static func pid(in descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text[..<count].prefix { $0 != 10 }, as: UTF8.self))
    }
}
