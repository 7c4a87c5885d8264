import Glibc

/// Locks that other processes hold, as the kernel lists them: asking does not touch the lock.
public enum FileLocks {
    /// The process that holds a flock(2) on the file; nil: nobody, or nobody that can be seen.
    public static func holder(of path: String) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0,
            let bytes = try? FileContents.read("/proc/locks", limit: 4 << 20)
        else { return nil }
        return holder(
            inode: UInt64(status.st_ino), in: String(decoding: bytes, as: UTF8.self))
    }

    /// Lines as "1: FLOCK  ADVISORY  WRITE 1234 fd:01:5678 0 EOF" (proc_locks(5)).
    static func holder(inode: UInt64, in text: String) -> Int32? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 6, words[1] == "FLOCK", let process = Int32(words[4]),
                let number = words[5].split(separator: ":").last.flatMap({ UInt64($0) })
            else { continue }
            if number == inode { return process }
        }
        return nil
    }
}
