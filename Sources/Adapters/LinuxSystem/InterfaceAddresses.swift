import Glibc

/// The network interfaces of this machine and their addresses (getifaddrs(3)).
public struct InterfaceAddresses: Hashable, Sendable {
    /// Interfaces that are up and have a carrier.
    public var running: Set<String>
    /// Addresses by interface, those that are valid on a link only left out; in hexadecimal.
    public var addresses: [String: Set<String>]

    /// IFF_UP and IFF_RUNNING of netdevice(7).
    private static let runningFlags: UInt32 = 0x41
    private static let interfaceLimit = 10_000

    public static func now() throws(SystemError) -> InterfaceAddresses {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { throw .last("getifaddrs") }
        defer { freeifaddrs(list) }
        var found = InterfaceAddresses(running: [], addresses: [:])
        var entry = list
        for _ in 0..<interfaceLimit {
            guard let current = entry?.pointee else { break }
            entry = current.ifa_next
            guard let raw = current.ifa_name else { continue }
            let name = String(cString: raw)
            if UInt32(truncatingIfNeeded: current.ifa_flags) & runningFlags == runningFlags {
                found.running.insert(name)
            }
            if let address = current.ifa_addr, let text = text(of: address) {
                found.addresses[name, default: []].insert(text)
            }
        }
        return found
    }

    private static func text(of address: UnsafeMutablePointer<sockaddr>) -> String? {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            return digits(UnsafeRawBufferPointer(start: raw + 4, count: 4))
        case AF_INET6:
            let bytes = UnsafeRawBufferPointer(start: raw + 8, count: 16)
            return bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 ? nil : digits(bytes)
        default: return nil
        }
    }

    private static func digits(_ bytes: UnsafeRawBufferPointer) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
