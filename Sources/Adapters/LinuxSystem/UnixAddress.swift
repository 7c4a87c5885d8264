import Glibc

/// The address of a Unix socket: a path, or with a leading "@" a name in the abstract namespace.
struct UnixAddress: Sendable {
    /// Bytes that `sun_path` holds, the closing zero included (unix(7)).
    static let capacity = 108

    let text: String
    private let bytes: [UInt8]

    /// Nil for an empty text, one with a zero byte, or one that does not fit.
    init?(_ text: String) {
        var bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count < Self.capacity, !bytes.contains(0) else { return nil }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        self.text = text
        self.bytes = bytes
    }

    var isAbstract: Bool { bytes.first == 0 }

    /// Lends the address in the form of bind(2), connect(2) and sendto(2).
    func withSocketAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        // An abstract name ends with its last byte, a path with a zero.
        let length = socklen_t(offset + bytes.count + (isAbstract ? 0 : 1))
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
