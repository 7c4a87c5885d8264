import Glibc
import LinuxSystem

/// The device key, from a file that others cannot read.
enum APIKey {
    /// Bytes of a key file at most.
    private static let limit = 4096

    /// The first line of the file. Throws where it is missing, empty, or readable by everybody.
    static func read(_ path: String) throws(StartError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw StartError(
                .configuration, "server.key_file \(path): \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & 0o007 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw StartError(
                .configuration,
                "server.key_file \(path): mode 0\(mode) lets everybody read the key, "
                    + "allowed 0600 or 0640")
        }
        guard let key = FileContents.line(path) else {
            throw StartError(.configuration, "server.key_file \(path): holds no key")
        }
        guard key.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw StartError(
                .configuration, "server.key_file \(path): holds something that is no key")
        }
        return key
    }
}
