import Glibc

/// Whole texts to standard output and standard error, past `stdio`.
enum ProgramOutput {
    /// False where nobody reads any more.
    @discardableResult
    static func write(_ text: String) -> Bool { write(Array(text.utf8), to: STDOUT_FILENO) }

    static func writeError(_ text: String) { _ = write(Array(text.utf8), to: STDERR_FILENO) }

    /// Writes all bytes; false where the system refuses them, as a closed pipe does.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { write($0, to: descriptor) }
    }

    /// Writes all bytes; false where the system refuses them, as a closed pipe does.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, start, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                return false
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return true
    }
}
