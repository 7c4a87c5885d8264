import Glibc

/// What this process costs the machine now.
public struct ProcessFootprint: Hashable, Sendable {
    /// Bytes of memory that are really there (RSS).
    public var residentBytes: Int
    public var threads: Int
    public var openDescriptors: Int
    /// Seconds of processor time since the start, user and system.
    public var processorSeconds: Double

    /// Nil where /proc is not mounted.
    public static func current() -> ProcessFootprint? {
        guard let pages = number(of: "/proc/self/statm", at: 1) else { return nil }
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return ProcessFootprint(
            residentBytes: pages * Int(sysconf(Int32(_SC_PAGESIZE))),
            threads: count("/proc/self/task"), openDescriptors: count("/proc/self/fd"),
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    private static func number(of path: String, at index: Int) -> Int? {
        let fields = FileContents.line(path)?.split(separator: " ") ?? []
        return index < fields.count ? Int(fields[index]) : nil
    }

    private static func count(_ folder: String) -> Int {
        (try? FolderListing.names(in: folder).count) ?? 0
    }
}
