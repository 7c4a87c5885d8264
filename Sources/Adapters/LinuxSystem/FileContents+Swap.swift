import Glibc

extension FileContents {
    /// Replaces a file in one step without waiting for a disk: a process that is killed leaves old or
    /// new, a power cut anything. For files in memory.
    ///
    /// One process at a time: the temporary file has one name, so that none is ever left over.
    public static func swap(
        _ path: String, with bytes: [UInt8], mode: mode_t = 0o600
    ) throws(SystemError) {
        let temporary = "\(path).new"
        do throws(SystemError) {
            let file = try FileDescriptor.open(
                temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: mode)
            do { try file.writeAll(bytes) } catch {
                throw SystemError("write", temporary, code: error.code)
            }
            guard rename(temporary, path) == 0 else { throw .last("rename", path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }
}
