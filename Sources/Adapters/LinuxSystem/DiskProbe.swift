import CLinux
import Glibc

/// What the disk under a folder can take.
public enum DiskProbe {
    /// Room for this user, in bytes and files.
    public struct Space: Hashable, Sendable {
        public var freeBytes: Int64
        public var totalBytes: Int64
        /// Nil: the file system does not count files.
        public var freeFiles: Int64?
    }

    /// Nil where the file system does not tell.
    public static func space(of folder: String) -> Space? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let block = Int64(clamping: status.f_frsize)
        func bytes(_ blocks: UInt) -> Int64 {
            let (product, overflow) = Int64(clamping: blocks).multipliedReportingOverflow(by: block)
            return overflow ? .max : product
        }
        return Space(
            freeBytes: bytes(UInt(clamping: status.f_bavail)),
            totalBytes: bytes(UInt(clamping: status.f_blocks)),
            freeFiles: status.f_files == 0 ? nil : Int64(clamping: status.f_favail))
    }

    /// The times of small durable writes, milliseconds, ascending: 4 KiB and fdatasync each, to a
    /// file that never has a name. At most `count`, and none begins after `milliseconds`.
    ///
    /// Throws EOPNOTSUPP where the file system has no such files.
    public static func syncTimes(
        in folder: String, count: Int, within milliseconds: Int64
    ) throws(SystemError) -> [Double] {
        let number = clinux_open_unnamed(folder)
        guard number >= 0 else { throw .last("open", folder) }
        let file = FileDescriptor(owning: number)
        let block = [UInt8](repeating: 0x55, count: 4096)
        let end = MonotonicClock.milliseconds + milliseconds
        var times: [Double] = []
        while times.count < count, times.isEmpty || MonotonicClock.milliseconds < end {
            let start = now()
            guard pwrite(file.number, block, block.count, 0) == block.count else {
                throw .last("write", folder)
            }
            guard fdatasync(file.number) == 0 else { throw .last("fdatasync", folder) }
            times.append(now() - start)
        }
        return times.sorted()
    }

    /// Milliseconds with their fraction.
    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }
}
