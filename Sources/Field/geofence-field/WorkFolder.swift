import CommandLineTool
import Glibc

/// A new folder for a measurement, removed with all that is in it.
struct WorkFolder {
    let path: String

    init(in parent: String) throws(CommandFailure) {
        // mkdtemp(3) puts a name in the place of six letters.
        let letters = String(repeating: "X", count: 6)
        var template = "\(parent)/geofence-bench.\(letters)".utf8CString.map { $0 }
        guard mkdtemp(&template) != nil else {
            throw CommandFailure("\(parent): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What cannot be removed stays; the folder's name says whose it is.
    func remove() {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        for name in entries(of: path) where name != "." && name != ".." {
            let entry = "\(path)/\(name)"
            var status = stat()
            guard lstat(entry, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR { remove(entry) } else { unlink(entry) }
        }
        rmdir(path)
    }

    private static func entries(of path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }
}
