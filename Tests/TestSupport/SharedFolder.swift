import Glibc

/// The folder of real logs and cases that stands beside the project on its developers' machines.
public enum SharedFolder {
    /// Path of an entry of `../shared`, or of `$GEOFENCED_SHARED`; nil where it does not exist.
    public static func path(_ entry: String) -> String? {
        let root =
            getenv("GEOFENCED_SHARED").map { String(cString: $0) } ?? "\(projectRoot)/../shared"
        let path = "\(root)/\(entry)"
        return access(path, R_OK) == 0 ? path : nil
    }

    /// The top folder of the project.
    public static let projectRoot = String(
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
            .joined(separator: "/"))

    /// The bytes of an entry; nil where it cannot be read.
    public static func bytes(_ entry: String) -> [UInt8]? { path(entry).flatMap(readFile) }

    /// The bytes of any file; nil where it cannot be read.
    public static func readFile(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return result }
            result += buffer[..<count]
        }
    }
}
