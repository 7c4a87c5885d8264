import Glibc

/// Whole files as bytes.
enum InputFile {
    /// Nil with errno where it cannot be read.
    static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return result }
            if count > 0 {
                result += buffer[..<count]
            } else if errno != EINTR {
                return nil
            }
        }
    }
}
