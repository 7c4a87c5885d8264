import Glibc

/// A TCP client that sends exactly the given bytes.
final class RawClient {
    private let descriptor: Int32

    init(port: UInt16, ipv6: Bool = false) throws {
        descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let status = ipv6 ? Self.connect6(descriptor, port) : Self.connect4(descriptor, port)
        guard status == 0 else { throw Failure(code: errno) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Everything up to the end of the connection, or until nothing comes for 10 s (nil).
    func readToEnd() -> String? {
        var result: [UInt8] = []
        while let piece = readPiece() {
            if piece.isEmpty { return String(decoding: result, as: UTF8.self) }
            result += piece
        }
        return nil
    }

    /// Reads until the text holds `marker` this many times; nil at an early end.
    func read(until marker: String, times: Int = 1) -> String? {
        var result = ""
        while true {
            if result.ranges(of: marker).count >= times { return result }
            guard let piece = readPiece(), !piece.isEmpty else { return nil }
            result += String(decoding: piece, as: UTF8.self)
        }
    }

    /// Empty at the end of the connection; nil after the time-out.
    private func readPiece() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 { return errno == ECONNRESET ? [] : nil }
        return Array(buffer[..<count])
    }

    struct Failure: Error {
        var code: Int32
    }

    private static func connect4(_ descriptor: Int32, _ port: UInt16) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func connect6(_ descriptor: Int32, _ port: UInt16) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}
