import Glibc

/// A process that has a device open: who else reads this port?
public struct DescriptorHolder: Hashable, Sendable, CustomStringConvertible {
    public var processID: Int32
    /// The name as in top(1), at most 15 bytes.
    public var name: String

    public init(processID: Int32, name: String) {
        self.processID = processID
        self.name = name
    }

    public var description: String { "\(name) (pid \(processID))" }

    /// Other processes that have the device or file at `path` open, by a look through /proc/*/fd.
    ///
    /// Only root sees the descriptors of other users: an empty answer proves nothing.
    public static func processes(holding path: String) -> [DescriptorHolder] {
        var wanted = stat()
        guard stat(path, &wanted) == 0 else { return [] }
        let processes = (try? FolderListing.names(in: "/proc").compactMap { Int32($0) }) ?? []
        return processes.filter { $0 != getpid() && holds($0, wanted) }.map { process in
            DescriptorHolder(
                processID: process, name: FileContents.line("/proc/\(process)/comm") ?? "?")
        }
    }

    /// Other processes with one of these names; everybody may see these.
    public static func processes(named names: Set<String>) -> [DescriptorHolder] {
        let processes = (try? FolderListing.names(in: "/proc").compactMap { Int32($0) }) ?? []
        return processes.filter { $0 != getpid() }.compactMap { process in
            guard let name = FileContents.line("/proc/\(process)/comm"), names.contains(name)
            else { return nil }
            return DescriptorHolder(processID: process, name: name)
        }
    }

    private static func holds(_ process: Int32, _ wanted: stat) -> Bool {
        let folder = "/proc/\(process)/fd"
        let names = (try? FolderListing.names(in: folder)) ?? []
        return names.contains { name in
            var found = stat()
            guard stat("\(folder)/\(name)", &found) == 0 else { return false }
            let isDevice = wanted.st_mode & S_IFMT == S_IFCHR
            if isDevice, found.st_mode & S_IFMT == S_IFCHR {
                return found.st_rdev == wanted.st_rdev
            }
            return found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino
        }
    }
}
