import Glibc

/// Damaged databases that were replaced. All that could be saved of them is in the queue: they are
/// there for a person to look at, and give way to any event.
extension QueueFiles {
    /// Moves the database away, which has been replaced; `moved` is called after each file.
    ///
    /// The database goes first: where there is none, what is left of it belongs to the newest one of
    /// the quarantine.
    func quarantineDatabase(
        label: String, moved: (String) -> Void = { _ in }
    ) throws(QueueOpening.Failure) {
        try Self.makeFolder(quarantine)
        let newest = Self.exists(database) ? nil : quarantined.last
        let target = newest ?? nextTarget(label)
        for suffix in Self.suffixes where Self.exists(database + suffix) {
            guard
                try tellsNothing(suffix)
                    ? unlink(database + suffix) == 0
                    : rename(database + suffix, target + suffix) == 0
            else {
                throw Self.failure(
                    "\(database + suffix): \(Self.refusal(target + suffix, errno))", errno)
            }
            moved(suffix)
        }
        try Self.synchronise(quarantine)
        try Self.synchronise(directory)
    }

    /// An index can be made again, and an empty log is as good as none.
    private func tellsNothing(_ suffix: String) throws(QueueOpening.Failure) -> Bool {
        switch suffix {
        case "": false
        case "-shm": true
        default: try Self.size(of: database + suffix) == 0
        }
    }

    /// Behind all that are there, whatever the clock said when they came.
    private func nextTarget(_ label: String) -> String {
        let greatest = Self.entries(of: quarantine).compactMap(Self.number).max() ?? 0
        return "\(quarantine)/\(greatest + 1)_\(label)\(Self.ending)"
    }

    /// The number with which a name begins; nil: it has none, as those of earlier versions.
    private static func number(_ name: String) -> Int? {
        guard let end = name.firstIndex(of: "_"), let number = Int(name[..<end]),
            (1...greatestNumber).contains(number)
        else { return nil }
        return number
    }

    private static let greatestNumber = 1_000_000_000
    private static let ending = "-queue.db"

    /// Paths of the databases, the oldest first.
    private var quarantined: [String] {
        Self.entries(of: quarantine).filter { $0.hasSuffix(Self.ending) }
            .map { (Self.number($0) ?? 0, Self.modified("\(quarantine)/\($0)"), $0) }
            .sorted { $0 < $1 }.map { "\(quarantine)/\($0.2)" }
    }

    /// Removes the oldest ones where there are too many, or too much for `maxBytes`; one stays.
    func trimQuarantine(maxBytes: Int64) {
        var count = quarantined.count
        while count > 1, count > StorageLimits.quarantines || quarantinedBytes > maxBytes {
            guard dropOldestQuarantined() else { return }
            count -= 1
        }
    }

    /// Bytes that all of them take.
    var quarantinedBytes: Int64 {
        Self.entries(of: quarantine).reduce(0) { sum, name in
            let isOurs = Self.suffixes.contains { name.hasSuffix(Self.ending + $0) }
            return isOurs ? sum + ((try? Self.size(of: "\(quarantine)/\(name)")) ?? 0) : sum
        }
    }

    /// Gives the room of the oldest one back; false: there was none.
    ///
    /// The database goes last: what a power cut leaves of it is found by its name.
    func dropOldestQuarantined() -> Bool {
        guard let oldest = quarantined.first else { return false }
        for suffix in Self.suffixes where !suffix.isEmpty { unlink(oldest + suffix) }
        return unlink(oldest) == 0
    }

    static func entries(of path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Nanoseconds since 1970; orders those that have no number.
    private static func modified(_ path: String) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        return Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
