import Glibc

/// The groups and users of this system.
enum SystemGroup {
    private static let bufferBytes = 65_536

    /// The number of a group; nil when there is none of that name.
    static func id(of name: String) -> UInt32? {
        var buffer = [CChar](repeating: 0, count: bufferBytes)
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        let status = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        return status == 0 && found != nil ? entry.gr_gid : nil
    }

    /// The name of a group; its number where it has none.
    static func name(of id: UInt32) -> String {
        // The name lies in the buffer, so it is read while that is there.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferBytes) { buffer in
            guard let start = buffer.baseAddress else { return "\(id)" }
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            let status = getgrgid_r(id, &entry, start, buffer.count, &found)
            guard status == 0, found != nil, let name = entry.gr_name else { return "\(id)" }
            return String(cString: name)
        }
    }

    /// The name of a user; the number where there is none.
    static func userName(of id: UInt32) -> String {
        // The name lies in the buffer, so it is read while that is there.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: bufferBytes) { buffer in
            guard let start = buffer.baseAddress else { return "\(id)" }
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let status = getpwuid_r(id, &entry, start, buffer.count, &found)
            guard status == 0, found != nil, let name = entry.pw_name else { return "\(id)" }
            return String(cString: name)
        }
    }
}
