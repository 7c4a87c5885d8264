import Glibc

/// The groups of this system.
enum SystemGroup {
    /// The number of a group; nil when there is none of that name.
    static func id(of name: String) -> UInt32? {
        var buffer = [CChar](repeating: 0, count: 65_536)
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        let status = getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        return status == 0 && found != nil ? entry.gr_gid : nil
    }
}
