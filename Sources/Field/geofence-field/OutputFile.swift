import CommandLineTool
import Glibc

/// A file being written, or standard output; closed with this value.
final class OutputFile {
    private let descriptor: Int32
    private let isOwned: Bool
    private let path: String
    private let writer: OutputWriter

    /// Nil: standard output.
    init(_ path: String?) throws(CommandFailure) {
        isOwned = path != nil
        self.path = path ?? "standard output"
        descriptor =
            path.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) } ?? STDOUT_FILENO
        guard descriptor >= 0 else {
            throw CommandFailure("\(self.path): \(String(cString: strerror(errno)))")
        }
        writer = OutputWriter(descriptor: descriptor)
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    func write(_ bytes: [UInt8]) throws {
        try naming { try writer.bytes(bytes) }
    }

    /// Hands on everything that waits.
    func finish() throws {
        try naming { try writer.flush() }
    }

    private func naming(_ work: () throws -> Void) throws {
        do {
            try work()
        } catch OutputError.failed(let code) {
            throw CommandFailure("\(path): \(String(cString: strerror(code)))")
        }
    }
}
