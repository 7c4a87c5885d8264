import CommandLineTool
import Glibc

/// The least that a durable record costs: its bytes at the end of a file, and fdatasync.
final class RawLog {
    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit {
        close(descriptor)
    }

    func append(_ record: [UInt8]) throws(CommandFailure) {
        guard write(descriptor, record, record.count) == record.count, fdatasync(descriptor) == 0
        else { throw Self.failure(path) }
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("\(path): \(String(cString: strerror(errno)))")
    }
}
