import CommandLineTool
import Glibc
import LinuxSystem

/// A log, or standard input, in pieces.
final class LogInput {
    private let path: String
    private let file: FileDescriptor
    private var buffer: [UInt8]

    /// Throws where the file cannot be opened, or is a folder.
    init(_ path: String, chunk: Int) throws(CommandFailure) {
        self.path = path
        buffer = [UInt8](repeating: 0, count: chunk)
        do {
            file =
                path == "-"
                ? FileDescriptor(owning: STDIN_FILENO)
                : try FileDescriptor.open(path, O_RDONLY)
        } catch {
            throw CommandFailure("cannot open \(path): \(Self.reason(error))")
        }
    }

    /// The next piece; nil at the end. Each lives until the next one is asked for.
    func next() throws(CommandFailure) -> ArraySlice<UInt8>? {
        do {
            let count = try file.read(into: &buffer)
            return count == 0 ? nil : buffer[..<count]
        } catch {
            throw CommandFailure("cannot read \(path): \(Self.reason(error))")
        }
    }

    private static func reason(_ error: SystemError) -> String {
        String(cString: strerror(error.code))
    }
}
