import Glibc

/// A pair of descriptors that behaves like a serial line: what the receiver's end writes, whoever
/// opens `path` reads.
public final class PseudoTerminal: Sendable {
    /// The receiver's end.
    public let controller: Int32
    /// A device file such as /dev/pts/7, gone when `unplug` was called.
    public let path: String
    private let line: Int32

    /// Throws where the system has no pseudo-terminal left.
    public init() throws {
        var ends: (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&ends.0, &ends.1, &name, nil, nil) == 0 else {
            throw SetupError(code: errno)
        }
        controller = ends.0
        line = ends.1
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Writes all bytes into the line, as the receiver does; false when the line is gone.
    @discardableResult
    public func send(_ bytes: some Sequence<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(controller, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Writes a text into the line.
    @discardableResult
    public func send(_ text: String) -> Bool { send(text.utf8) }

    /// What the other end wrote, at most `limit` bytes; empty when nothing comes within the time.
    public func receive(limit: Int = 4096, milliseconds: Int32 = 1000) -> [UInt8] {
        var descriptors = [pollfd(fd: controller, events: Int16(POLLIN), revents: 0)]
        guard poll(&descriptors, 1, milliseconds) > 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = read(controller, &buffer, limit)
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// The speed that the other end has set, in baud; nil for one that no receiver uses.
    public var baud: Int? {
        var settings = termios()
        tcgetattr(line, &settings)
        let speed = cfgetispeed(&settings)
        return Self.speeds.first { $0.constant == speed }?.baud
    }

    private static let speeds: [(baud: Int, constant: speed_t)] = [
        (4800, speed_t(B4800)), (9600, speed_t(B9600)), (19_200, speed_t(B19200)),
        (38_400, speed_t(B38400)), (57_600, speed_t(B57600)), (115_200, speed_t(B115200)),
        (230_400, speed_t(B230400)), (460_800, speed_t(B460800)), (921_600, speed_t(B921600)),
    ]

    /// Pulls the plug: whoever has the line open gets a hang-up.
    public func unplug() {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { return }
        dup2(nothing, line)
        dup2(nothing, controller)
        close(nothing)
    }

    deinit {
        close(line)
        close(controller)
    }

    /// The errno of `openpty`.
    public struct SetupError: Error {
        public let code: Int32
    }
}
