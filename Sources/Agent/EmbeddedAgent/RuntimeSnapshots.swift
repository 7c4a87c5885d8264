import GeofenceAgent
import Glibc
import LinuxSystem

/// Snapshots in the runtime directory, which is memory: they survive the process and not the machine.
struct RuntimeSnapshots: SnapshotStore {
    private let directory: String
    /// Far more than the largest one has.
    private static let limit = 1 << 20

    /// Nil where there is no such directory: then nothing is left to the next process.
    init?(directory: String) {
        var status = stat()
        guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        self.directory = directory
    }

    func write(_ bytes: [UInt8], to slot: Int) throws(SnapshotStoreError) {
        do throws(SystemError) {
            try FileContents.swap(path(slot), with: bytes)
        } catch {
            throw SnapshotStoreError("\(error)")
        }
    }

    func read(_ slot: Int) -> [UInt8]? {
        try? FileContents.read(path(slot), limit: Self.limit)
    }

    private func path(_ slot: Int) -> String { "\(directory)/snapshot-\(slot)" }
}
