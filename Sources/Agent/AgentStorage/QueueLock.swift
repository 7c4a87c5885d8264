import Delivery
import Glibc

/// Keeps a second process out of the queue for as long as it lives; the kernel drops it with the
/// process, however that ends.
///
/// Who holds it only to send what is there lets an agent have it: the one that waits locks a byte of
/// the file, at which the holder looks.
final class QueueLock: Sendable {
    /// What a process wants the queue for.
    enum Purpose: Sendable {
        case agent
        /// To send what is there, until an agent wants it.
        case drain
    }

    private let descriptor: Int32

    private static let drainMark = " drain"
    /// How long an agent waits for a drain to end, and how often it looks, milliseconds.
    private static let patience = 5000
    private static let lookInterval = 20
    /// How often it looks at a lock that says nothing of a drain.
    private static let looksAtOthers = 10
    /// The byte that says that somebody waits.
    private static let waitingByte: off_t = 64

    /// Throws `heldByAnotherProcess` with the holder's pid.
    init(_ path: String, purpose: Purpose = .agent) throws(QueueError) {
        let opened = try QueueFiles.openOrMake(path, O_RDWR)
        guard Self.take(opened, purpose) else {
            let reason = errno
            let pid = Self.pid(in: opened)
            close(opened)
            guard reason == EWOULDBLOCK else {
                throw .storage(path: path, detail: QueueFiles.words(reason))
            }
            throw .heldByAnotherProcess(path: path, pid: pid)
        }
        fchmod(opened, 0o600)
        let mark = purpose == .drain ? Self.drainMark : ""
        let text = Array("\(getpid())\(mark)\n".utf8)
        // The pid only helps a person; a full disk must not keep the agent from starting.
        if ftruncate(opened, 0) == 0 { _ = pwrite(opened, text, text.count, 0) }
        descriptor = opened
    }

    deinit {
        close(descriptor)
    }

    /// Whether the file at `path` is the one that is locked.
    func isAt(_ path: String) -> Bool {
        var (own, there) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && stat(path, &there) == 0
            && own.st_dev == there.st_dev && own.st_ino == there.st_ino
    }

    /// Lets others have the queue, whoever still asks `isWanted`.
    func release() {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Whether an agent waits for the queue.
    var isWanted: Bool {
        var range = Self.waitingRange(F_WRLCK)
        return fcntl(descriptor, Self.queryLock, &range) == 0 && range.l_type != Int16(F_UNLCK)
    }

    /// False with `errno` where another process keeps it.
    private static func take(_ descriptor: Int32, _ purpose: Purpose) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK, purpose == .agent else { return false }
        var range = waitingRange(F_RDLCK)
        _ = fcntl(descriptor, setLock, &range)
        defer {
            let reason = errno
            range = waitingRange(F_UNLCK)
            _ = fcntl(descriptor, setLock, &range)
            errno = reason
        }
        for look in 0..<patience / lookInterval {
            // Who has it may not have written yet what for.
            if look >= looksAtOthers, !isDrain(descriptor) { break }
            usleep(UInt32(lookInterval) * 1000)
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        }
        errno = EWOULDBLOCK
        return false
    }

    private static func waitingRange(_ type: Int32) -> flock {
        flock(
            l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: waitingByte, l_len: 1,
            l_pid: 0)
    }

    /// F_OFD_GETLK and F_OFD_SETLK of fcntl(2): locks of the open file, not of the process.
    private static let queryLock: Int32 = 36
    private static let setLock: Int32 = 37

    private static func isDrain(_ descriptor: Int32) -> Bool {
        holder(in: descriptor).hasSuffix(drainMark)
    }

    private static func pid(in descriptor: Int32) -> Int32? {
        holder(in: descriptor).split(separator: " ").first.flatMap { Int32($0) }
    }

    /// What the holder wrote.
    private static func holder(in descriptor: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &text, text.count, 0)
        return String(decoding: text[..<max(0, count)].prefix { $0 != 10 }, as: UTF8.self)
    }
}
