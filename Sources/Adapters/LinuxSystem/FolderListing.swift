import Glibc

/// The names in a folder.
public enum FolderListing {
    /// Most names that are read; a folder with more is cut short.
    public static let maximumCount = 100_000

    /// Names without "." and "..", sorted.
    public static func names(in folder: String) throws(SystemError) -> [String] {
        guard let stream = opendir(folder) else { throw .last("opendir", folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < maximumCount, let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
