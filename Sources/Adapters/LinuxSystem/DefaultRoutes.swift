/// The default routes of this machine, from the kernel's tables.
public enum DefaultRoutes {
    /// Interfaces with a default route, for IPv4 first; empty: none. Throws where the kernel does
    /// not show its tables.
    public static func interfaces() throws(SystemError) -> [String] {
        let four = try FileContents.read("/proc/net/route", limit: 1 << 20)
        let six = (try? FileContents.read("/proc/net/ipv6_route", limit: 4 << 20)) ?? []
        var names = inIPv4(String(decoding: four, as: UTF8.self))
        for name in inIPv6(String(decoding: six, as: UTF8.self)) where !names.contains(name) {
            names.append(name)
        }
        return names
    }

    /// Destination and mask 0, flags with RTF_UP (1).
    static func inIPv4(_ table: String) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let words = line.split { $0 == "\t" || $0 == " " }
            guard words.count >= 8, words[1] == "00000000", words[7] == "00000000",
                let flags = UInt32(words[3], radix: 16), flags & 1 == 1
            else { return nil }
            return String(words[0])
        }
    }

    /// Destination ::/0 with RTF_UP, but not the rejecting route of the loopback (RTF_REJECT 0x200).
    static func inIPv6(_ table: String) -> [String] {
        table.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 10, words[1] == "00", words[0].allSatisfy({ $0 == "0" }),
                let flags = UInt32(words[8], radix: 16), flags & 0x201 == 1, words[9] != "lo"
            else { return nil }
            return String(words[9])
        }
    }
}
