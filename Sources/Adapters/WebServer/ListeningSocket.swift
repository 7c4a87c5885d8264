import Glibc

/// Opens the socket on which a server waits.
enum ListeningSocket {
    static let backlog: Int32 = 1_024

    /// A listening, non-blocking descriptor and the address with the port that the system gave it.
    static func open(
        _ address: ListenAddress
    ) throws(StartError) -> (descriptor: Int32, address: ListenAddress) {
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        guard descriptor >= 0 else {
            throw StartError(address: address, call: "socket", code: errno)
        }
        if let call = bind(descriptor, to: address) {
            let error = StartError(address: address, call: call, code: errno)
            close(descriptor)
            throw error
        }
        var bound = address
        bound.port = boundPort(descriptor) ?? address.port
        return (descriptor, bound)
    }

    /// Nil on success, else the call that failed with errno set.
    private static func bind(_ descriptor: Int32, to address: ListenAddress) -> String? {
        var enabled: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &enabled, size) == 0 else {
            return "setsockopt"
        }
        if address.isIPv6 {
            guard
                setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &enabled, size) == 0
            else { return "setsockopt" }
        }
        guard withSocketAddress(address, { Glibc.bind(descriptor, $0, $1) }) == 0 else {
            return "bind"
        }
        return listen(descriptor, backlog) == 0 ? nil : "listen"
    }

    private static func withSocketAddress(
        _ address: ListenAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        if address.isIPv6 {
            var value = sockaddr_in6()
            value.sin6_family = sa_family_t(AF_INET6)
            value.sin6_port = address.port.bigEndian
            inet_pton(AF_INET6, address.host, &value.sin6_addr)
            return withUnsafePointer(to: &value) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        var value = sockaddr_in()
        value.sin_family = sa_family_t(AF_INET)
        value.sin_port = address.port.bigEndian
        inet_pton(AF_INET, address.host, &value.sin_addr)
        return withUnsafePointer(to: &value) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16? {
        var value = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = withUnsafeMutablePointer(to: &value) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        // The port stands at the same place in both families.
        return status == 0 ? UInt16(bigEndian: value.sin6_port) : nil
    }
}
