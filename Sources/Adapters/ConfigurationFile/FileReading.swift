import Glibc

/// Reads the bytes of a configuration file.
enum FileReading {
    /// All bytes, up to one more than `limit`, so that the reader can tell that there are more.
    static func bytes(_ path: String, limit: Int) throws(ConfigurationError) -> [UInt8] {
        // A pipe would be waited for without an end: opened without waiting, and refused.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT != S_IFIFO else {
            throw ConfigurationError(
                file: path, mark: nil, "cannot be read: not a regular file")
        }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while contents.count <= limit {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            if count > 0 {
                contents += buffer[..<count]
            } else if errno != EINTR {
                throw failure(path)
            }
        }
        return contents
    }

    private static func failure(_ path: String) -> ConfigurationError {
        ConfigurationError(
            file: path, mark: nil, "cannot be read: \(String(cString: strerror(errno)))")
    }
}
