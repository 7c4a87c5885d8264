import Glibc

/// A numeric address and port, "127.0.0.1:8948" or "[::1]:8948".
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// Numeric IPv4 or IPv6 address without brackets.
    public var host: String
    /// 0: the system chooses a free one.
    public var port: UInt16

    /// Nil unless the text is a numeric address, a colon and a port of 0 ... 65535.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard Self.isNumeric(String(host), family: AF_INET6) else { return nil }
        } else {
            guard Self.isNumeric(String(host), family: AF_INET) else { return nil }
        }
        self.host = String(host)
        self.port = port
    }

    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether it can be reached from this machine only.
    public var isLoopback: Bool { host == "::1" || host.hasPrefix("127.") }

    var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

    private static func isNumeric(_ host: String, family: Int32) -> Bool {
        var buffer = in6_addr()
        return inet_pton(family, host, &buffer) == 1
    }
}
