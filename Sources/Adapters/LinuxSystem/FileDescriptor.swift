import Glibc

/// The one owner of an open descriptor: closed with this value.
public struct FileDescriptor: ~Copyable, Sendable {
    /// For system calls while this value lives.
    public let number: Int32

    /// Takes over a descriptor that nobody else closes.
    public init(owning number: Int32) {
        self.number = number
    }

    /// open(2); O_CLOEXEC is added. `mode` counts only with O_CREAT.
    public static func open(
        _ path: String, _ flags: Int32, mode: mode_t = 0o600
    ) throws(SystemError) -> FileDescriptor {
        while true {
            let number = Glibc.open(path, flags | O_CLOEXEC, mode)
            if number >= 0 { return FileDescriptor(owning: number) }
            if errno != EINTR { throw .last("open", path) }
        }
    }

    deinit {
        close(number)
    }

    /// Reads once into `buffer` and gives the count; 0 is the end or a hang-up.
    public borrowing func read(into buffer: inout [UInt8]) throws(SystemError) -> Int {
        while true {
            let count = Glibc.read(number, &buffer, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw .last("read") }
        }
    }

    /// Writes once and gives the count that was taken.
    public borrowing func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        while true {
            let count = bytes.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            if errno != EINTR { throw .last("write") }
        }
    }

    /// Writes everything to a descriptor that blocks.
    public borrowing func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty { rest = rest.dropFirst(try write(rest)) }
    }
}
