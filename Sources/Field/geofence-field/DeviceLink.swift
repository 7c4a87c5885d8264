import Glibc

/// The stable name of a simulated port, as /dev/serial/by-id has them: a symbolic link.
struct DeviceLink: Sendable {
    let path: String

    /// Throws where something stands there that is no link: it is not ours to remove.
    init(_ path: String) throws(PortError) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK {
            throw PortError("\(path): exists and is no symbolic link")
        }
        self.path = path
    }

    /// Lets the link point to a device, in one step for whoever opens it meanwhile.
    func point(to device: String) throws(PortError) {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        guard symlink(device, temporary) == 0 else { throw .last("symlink \(temporary)") }
        guard rename(temporary, path) == 0 else {
            let error = PortError.last("rename \(path)")
            unlink(temporary)
            throw error
        }
    }

    /// Removes the link if it still points to the device.
    func remove(ifPointingTo device: String) {
        var target = [CChar](repeating: 0, count: 256)
        let count = max(0, readlink(path, &target, target.count))
        let name = target[..<count].map { UInt8(bitPattern: $0) }
        guard String(decoding: name, as: UTF8.self) == device else { return }
        unlink(path)
    }
}
