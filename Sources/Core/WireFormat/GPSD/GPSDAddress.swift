/// Where a gpsd listens.
public struct GPSDAddress: Hashable, Sendable, CustomStringConvertible {
    public static let usualHost = "localhost"
    public static let usualPort = 2947
    public static let ports = 1...65_535
    /// Of a name in DNS.
    private static let longestHost = 253

    public let host: String
    public let port: Int

    /// Nil where the host is no name and no address, or the port out of range.
    ///
    /// libgps takes some words in place of a host for something else than TCP ("shared memory",
    /// "DBUS export", "local file"); none of them is a host here.
    public init?(host: String = usualHost, port: Int = usualPort) {
        guard Self.ports.contains(port), (1...Self.longestHost).contains(host.utf8.count),
            host.utf8.allSatisfy(Self.isOfHost)
        else { return nil }
        self.host = host
        self.port = port
    }

    public var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Letters, digits, and what IPv6 addresses with a scope have besides.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._:%".utf8.contains(byte)
        }
    }
}
