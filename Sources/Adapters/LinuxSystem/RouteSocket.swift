import CLinux
import Glibc

/// The kernel's messages on links, addresses and routes of both families (rtnetlink(7)). What they
/// say is not read: each means that the network has to be looked at again.
public final class RouteSocket: Sendable {
    private let descriptor: FileDescriptor

    /// For poll(2).
    public var number: Int32 { descriptor.number }

    /// Messages that one call takes at most, so that a storm does not keep a thread for ever.
    private static let messageLimit = 1000
    private static let bufferBytes = 16_384

    public init() throws(SystemError) {
        let made = clinux_route_socket()
        guard made >= 0 else { throw .last("socket", "rtnetlink") }
        descriptor = FileDescriptor(owning: made)
    }

    /// Takes what waits; false where nothing did. Messages that the kernel had no room for (ENOBUFS)
    /// count as any.
    public func takeMessages() throws(SystemError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        var hasAny = false
        for _ in 0..<Self.messageLimit {
            let count = recv(descriptor.number, &buffer, buffer.count, 0)
            if count > 0 {
                hasAny = true
                continue
            }
            switch errno {
            case EAGAIN where count < 0: return hasAny
            case ENOBUFS where count < 0: hasAny = true
            case EINTR where count < 0: continue
            default: throw .last("recv", "rtnetlink")
            }
        }
        return hasAny
    }
}
