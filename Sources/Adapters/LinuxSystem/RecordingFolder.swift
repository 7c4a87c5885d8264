import Glibc
import Synchronization

/// Recordings in a folder: numbered files of lines, written on the thread of a loop whose other work
/// may wait for a disk as well.
///
/// Invariants:
/// - Whoever appends never waits for the disk; what finds no room in the buffer is refused.
/// - The files hold at most `Limits.maxBytes` together, the oldest go first.
/// - They are looked through at the start and at least once an hour, whether anything is recorded or
///   not; no line is older than `Limits.maxAgeSeconds` after that.
/// - What was written is on the disk after at most `Limits.syncMilliseconds`.
/// - The first error, and a disk that others need, ends the writing for good: one call of `onStop`.
public final class RecordingFolder: Sendable {
    /// The bounds of a folder.
    public struct Limits: Sendable {
        /// Bytes of all files.
        public var maxBytes: Int64
        /// Bytes that wait for the disk at most.
        public var bufferBytes = 1_048_576
        public var syncMilliseconds: Int64 = 5000
        /// Of the oldest line that a file may hold.
        public var maxAgeSeconds: Int64 = 7 * 86_400
        /// From the first to the last line of a file, at most: whoever writes begins the next one
        /// in time. A file goes as a whole, by the age of its last line, which is that of the file.
        public var partSeconds: Int64 = 6 * 3600
        /// For which a line may have waited for the disk.
        public var writeSeconds: Int64 = 60
        /// A file system with less than this free gets no more, bytes: the queue needs it.
        public var reserveBytes: Int64 = 33_554_432
        /// On a small file system this part of it is the reserve.
        public var reservePart = 0.05

        public init(maxBytes: Int64) {
            self.maxBytes = maxBytes
        }

        /// The age of a file's last line at which its first may be too old.
        var maxFileAgeSeconds: Int64 { max(0, maxAgeSeconds - partSeconds - writeSeconds) }

        /// Bytes after which the next file should begin: no more than the cap is lost at once.
        public var partBytes: Int { Int(clamping: min(max(maxBytes / 8, 65_536), 16_777_216)) }
    }

    private struct Shared: Sendable {
        var chunks: [Chunk] = []
        var bytes = 0
        var isClosing = false
        /// Why nothing is written any more; nil: it is.
        var stopReason: String?
        /// The next look at the files.
        var timer: UInt64?
    }

    private struct Chunk: Sendable {
        var lines: [UInt8]
        var startsPart: Bool
    }

    private let limits: Limits
    private let shared = Mutex(Shared())
    private let loop: PollLoop
    /// Of the loop's thread alone.
    private let files: Mutex<RecordingFiles>
    private let onStop: @Sendable (String) -> Void
    private let isEnded = Semaphore()

    /// Makes the folder where it is missing, mode 0700; an existing one is left as it is. `onStop`
    /// gets the reason, once, on the loop's thread. The loop keeps the folder until `close`.
    public init(
        _ path: String, limits: Limits, on loop: PollLoop,
        onStop: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        self.limits = limits
        self.loop = loop
        self.onStop = onStop
        let run = try RecordingFiles.prepare(path)
        files = Mutex(RecordingFiles(path, run: run, limits: limits))
        lookAgain()
    }

    /// Writes nothing: keeps deleting what an earlier configuration recorded when it becomes too
    /// old. Nil where there is nothing.
    public init?(
        expiring path: String, limits: Limits, on loop: PollLoop
    ) throws(SystemError) {
        guard RecordingFiles.exist(in: path) else { return nil }
        self.limits = limits
        self.loop = loop
        onStop = { _ in }
        files = Mutex(RecordingFiles(path, run: 0, limits: limits))
        stop("recording is off")
        loop.perform { self.look() }
    }

    /// Whether there are recordings in the folder.
    public static func isUsed(_ path: String) -> Bool { RecordingFiles.exist(in: path) }

    /// The mode of a folder that others may look into, "0755"; nil: they may not.
    public static func openMode(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
        return "0" + String(status.st_mode & 0o7777, radix: 8)
    }

    /// Takes lines; false where the buffer is full.
    public func append(_ lines: [UInt8], startsPart: Bool) -> Bool {
        let isHalfFull = shared.withLock { shared -> Bool? in
            guard shared.bytes + lines.count <= limits.bufferBytes || shared.chunks.isEmpty else {
                return nil
            }
            if shared.stopReason == nil {
                shared.chunks.append(Chunk(lines: lines, startsPart: startsPart))
                shared.bytes += lines.count
            }
            return shared.bytes > limits.bufferBytes / 2
        }
        if isHalfFull == true { loop.perform { self.turn(isLast: false) } }
        return isHalfFull != nil
    }

    /// Why nothing is written any more; nil: it is.
    public var stopReason: String? { shared.withLock { $0.stopReason } }

    /// Writes what was taken, and ends; waits for it at most `milliseconds`.
    public func close(milliseconds: Int = 2000) {
        shared.withLock { $0.isClosing = true }
        loop.perform { self.end() }
        _ = isEnded.see(withinMilliseconds: milliseconds)
    }

    // MARK: On the loop's thread

    private func look() {
        turn(isLast: false)
        lookAgain()
    }

    /// Each second while lines are taken, else when files may have become too old.
    private func lookAgain() {
        shared.withLock { shared in
            guard !shared.isClosing else { return }
            let isWritten = shared.stopReason == nil
            let delay = isWritten ? 1000 : Int(RecordingFiles.expiryMilliseconds)
            shared.timer = loop.perform(afterMilliseconds: delay) { self.look() }
        }
    }

    private func end() {
        let timer = shared.withLock { $0.timer.take() }
        if let timer { loop.cancelTimer(timer) }
        turn(isLast: true)
        isEnded.post()
    }

    /// Writes what has been taken, and deletes what is too old.
    private func turn(isLast: Bool) {
        let (chunks, isStopped) = shared.withLock { shared in
            defer {
                shared.chunks.removeAll(keepingCapacity: true)
                shared.bytes = 0
            }
            return (shared.chunks, shared.stopReason != nil)
        }
        files.withLock { files in
            if !isStopped { write(chunks, isLast: isLast, to: &files) }
            files.expire(at: SystemTimekeeper().uptime.milliseconds)
        }
    }

    private func write(_ chunks: [Chunk], isLast: Bool, to files: inout RecordingFiles) {
        do throws(SystemError) {
            for chunk in chunks { try files.write(chunk.lines, startsPart: chunk.startsPart) }
            try files.synchronise(at: MonotonicClock.milliseconds, always: isLast)
        } catch {
            files.close()
            stop("\(error)")
            onStop("\(error)")
        }
    }

    private func stop(_ reason: String) {
        shared.withLock { shared in
            shared.stopReason = reason
            shared.chunks.removeAll()
            shared.bytes = 0
        }
    }
}
