import LinuxSystem

/// Resident bytes of another process.
struct ServerMemory {
    private let path: String
    private(set) var most: Int?

    init(processID: Int) {
        path = "/proc/\(processID)/status"
    }

    /// Looks once; false: there is no such process.
    @discardableResult
    mutating func look() -> Bool {
        guard let bytes = try? FileContents.read(path, limit: 65_536) else { return false }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("VmRSS:") }
        guard
            let kibibytes = line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first
                .flatMap({ Int($0) })
        else { return false }
        most = max(most ?? 0, kibibytes * 1024)
        return true
    }
}
