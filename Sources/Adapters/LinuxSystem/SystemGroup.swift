import Glibc

/// The groups and users of this system.
enum SystemGroup {
    /// The number of a group; nil when there is none of that name.
    static func id(of name: String) -> UInt32? {
        var buffer = [CChar](repeating: 0, count: 65_536)
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        let status = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        return status == 0 && found != nil ? entry.gr_gid : nil
    }

    /// The name of a group; its number where it has none.
    static func name(of id: UInt32) -> String {
        var buffer = [CChar](repeating: 0, count: 65_536)
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        let status = getgrgid_r(id, &entry, &buffer, buffer.count, &found)
        guard status == 0, found != nil, let name = entry.gr_name else { return "\(id)" }
        return String(cString: name)
    }

    /// The name of a user; the number where there is none.
    static func userName(of id: UInt32) -> String {
        var buffer = [CChar](repeating: 0, count: 65_536)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        let status = getpwuid_r(id, &entry, &buffer, buffer.count, &found)
        guard status == 0, found != nil, let name = entry.pw_name else { return "\(id)" }
        return String(cString: name)
    }
}
