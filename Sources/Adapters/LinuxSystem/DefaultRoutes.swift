/// The default routes of this machine, from the kernel's tables.
public enum DefaultRoutes {
    /// Interfaces with a default route, for IPv4 first; empty: none. Throws where the kernel does
    /// not show its tables.
    public static func interfaces() throws(SystemError) -> [String] {
        var names: [String] = []
        for route in try routes() where !names.contains(route.interface) {
            names.append(route.interface)
        }
        return names
    }

    /// One default route.
    public struct Route: Hashable, Sendable {
        public var interface: String
        /// As the kernel's table has it, in hexadecimal; zeros: none.
        public var gateway: String
    }

    /// All default routes, those of IPv4 first. The tables are those of the calling thread's network.
    public static func routes() throws(SystemError) -> [Route] {
        let four = try FileContents.read("/proc/thread-self/net/route", limit: 1 << 20)
        let six = (try? FileContents.read("/proc/thread-self/net/ipv6_route", limit: 4 << 20)) ?? []
        return inIPv4(String(decoding: four, as: UTF8.self))
            + inIPv6(String(decoding: six, as: UTF8.self))
    }

    /// Destination and mask 0, flags with RTF_UP (1).
    static func inIPv4(_ table: String) -> [Route] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let words = line.split { $0 == "\t" || $0 == " " }
            guard words.count >= 8, words[1] == "00000000", words[7] == "00000000",
                let flags = UInt32(words[3], radix: 16), flags & 1 == 1
            else { return nil }
            return Route(interface: String(words[0]), gateway: String(words[2]))
        }
    }

    /// Destination ::/0 with RTF_UP, but not the rejecting route of the loopback (RTF_REJECT 0x200).
    static func inIPv6(_ table: String) -> [Route] {
        table.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 10, words[1] == "00", words[0].allSatisfy({ $0 == "0" }),
                let flags = UInt32(words[8], radix: 16), flags & 0x201 == 1, words[9] != "lo"
            else { return nil }
            return Route(interface: String(words[9]), gateway: String(words[4]))
        }
    }
}
