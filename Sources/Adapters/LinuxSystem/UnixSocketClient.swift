import CLinux
import Glibc
import Synchronization

/// Asks the server of a Unix socket: one line out, one or more lines in.
///
/// Its calls wait, so it is for command-line programs and threads of their own.
public final class UnixSocketClient: Sendable {
    /// Bytes of an answer line.
    public static let maximumLineBytes = 64 << 20

    /// For how long connecting and sending may wait for a server that is busy.
    public static let patienceSeconds = 5

    /// What can go wrong.
    public enum Failure: Error, Hashable, CustomStringConvertible {
        /// No file, or nobody listens.
        case notRunning(path: String)
        case permissionDenied(path: String)
        case timedOut
        /// The server went away in the middle of a line.
        case cutOff
        case lineTooLong
        case system(SystemError)

        public var description: String {
            switch self {
            case .notRunning(let path): "nobody answers at \(path)"
            case .permissionDenied(let path): "no permission for \(path)"
            case .timedOut: "no answer in time"
            case .cutOff: "the answer ends in the middle of a line"
            case .lineTooLong: "a line of the answer is longer than \(maximumLineBytes) bytes"
            case .system(let error): "\(error)"
            }
        }
    }

    private let descriptor: FileDescriptor
    private let received = Mutex<[UInt8]>([])

    /// Connects.
    public init(path: String) throws(Failure) {
        guard let address = UnixAddress(path) else {
            throw .system(SystemError("connect", path, code: ENAMETOOLONG))
        }
        let number = clinux_stream_socket(0)
        guard number >= 0 else { throw .system(.last("socket")) }
        let descriptor = FileDescriptor(owning: number)
        var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
        setsockopt(
            number, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard address.withSocketAddress({ connect(number, $0, $1) }) == 0 else {
            throw Self.failure(errno, path)
        }
        self.descriptor = descriptor
    }

    /// Sends a line; a line feed is added. That the server has hung up is no failure here: what it
    /// said before is still to be read.
    public func send(line: [UInt8]) throws(Failure) {
        var rest = (line + [10])[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                clinux_send(descriptor.number, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE || errno == ECONNRESET { return }
            if count < 0 { throw errno == EAGAIN ? .timedOut : .system(.last("send")) }
            rest = rest.dropFirst(count)
        }
    }

    /// The next line without its line feed; nil when the server has said everything.
    /// Nil milliseconds wait for ever.
    public func nextLine(milliseconds: Int?) throws(Failure) -> [UInt8]? {
        let deadline = milliseconds.map { MonotonicClock.milliseconds + Int64(max(0, $0)) }
        var searched = 0
        while true {
            if let line = takeLine(from: searched) { return line }
            searched = received.withLock { $0.count }
            guard searched <= Self.maximumLineBytes else { throw .lineTooLong }
            guard try receive(until: deadline) else {
                if searched > 0 { throw .cutOff }
                return nil
            }
        }
    }

    private func takeLine(from start: Int) -> [UInt8]? {
        received.withLock { bytes in
            guard let end = bytes[start...].firstIndex(of: 10) else { return nil }
            defer { bytes.removeFirst(end + 1) }
            return Array(bytes[..<end])
        }
    }

    /// False at the end.
    private func receive(until deadline: Int64?) throws(Failure) -> Bool {
        while true {
            let left = deadline.map { max(0, $0 - MonotonicClock.milliseconds) } ?? -1
            var descriptors = [
                pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            ]
            let ready = poll(&descriptors, 1, Int32(clamping: left))
            if ready == 0 { throw .timedOut }
            if ready < 0, errno == EINTR { continue }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 {
                if errno == ECONNRESET { return false }
                throw .system(.last("read"))
            }
            received.withLock { $0 += buffer[..<count] }
            return count > 0
        }
    }

    private static func failure(_ code: Int32, _ path: String) -> Failure {
        switch code {
        case ENOENT, ECONNREFUSED, ENOTDIR: .notRunning(path: path)
        case EACCES, EPERM: .permissionDenied(path: path)
        case EAGAIN: .timedOut
        default: .system(SystemError("connect", path, code: code))
        }
    }
}
