import CLinux
import Glibc

/// One address of a TCP server, ready for connect(2).
public struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    /// "192.0.2.1:443" or "[2001:db8::1]:443"
    public let description: String
    let family: Int32
    let bytes: [UInt8]

    /// The first `limit` (two or more) of these, such that each family that there is has a place.
    public static func ofEachFamily(
        _ addresses: [NetworkAddress], limit: Int
    ) -> [NetworkAddress] {
        let first = addresses.prefix(limit)
        guard let family = first.first?.family, first.allSatisfy({ $0.family == family }),
            let other = addresses.first(where: { $0.family != family })
        else { return Array(first) }
        return first.prefix(limit - 1) + [other]
    }

    /// How connecting ended.
    public enum Outcome: Hashable, Sendable {
        case connected
        case refused
        case timedOut
        case failed(String)
    }

    /// Opens a connection and closes it again; nothing is sent.
    public func tryConnection(milliseconds: Int) -> Outcome {
        let number = clinux_tcp_socket(family)
        guard number >= 0 else { return .failed(SystemError.last("socket").reason) }
        let socket = FileDescriptor(owning: number)
        let status = bytes.withUnsafeBytes { raw in
            raw.baseAddress.map {
                connect(number, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
            } ?? -1
        }
        if status == 0 { return .connected }
        guard errno == EINPROGRESS else { return Self.outcome(errno) }
        var waiting = [pollfd(fd: socket.number, events: Int16(POLLOUT), revents: 0)]
        guard poll(&waiting, 1, Int32(clamping: milliseconds)) > 0 else { return .timedOut }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &code, &length)
        return code == 0 ? .connected : Self.outcome(code)
    }

    private static func outcome(_ code: Int32) -> Outcome {
        code == ECONNREFUSED ? .refused : .failed(SystemError("connect", code: code).reason)
    }
}
