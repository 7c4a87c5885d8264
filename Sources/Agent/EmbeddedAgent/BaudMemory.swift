import LinuxSystem
import Timekeeping
import WireFormat

/// The line speed at which each serial port was last understood, over restarts.
///
/// A small file of its own beside the queue: it is written by the receiver's thread, and losing it
/// costs a few seconds of hunting.
struct BaudMemory: Sendable {
    private let directory: String
    private static let name = "baud.json"
    private let log: any LogSink
    private static let limit = 65_536
    /// Ports that are remembered.
    private static let greatestCount = 64

    init(directory: String, log: any LogSink) {
        self.directory = directory
        self.log = log
    }

    /// Speeds by stable path; empty where nothing was remembered, or the file is damaged.
    func read() -> [String: Int] {
        guard let bytes = try? FileContents.read("\(directory)/\(Self.name)", limit: Self.limit)
        else { return [:] }
        return (try? WireCoding.decode([String: Int].self, from: bytes)) ?? [:]
    }

    /// Remembers the speed of a port; nothing is written where it is known already.
    func remember(port: String, baud: Int) {
        var speeds = read()
        guard speeds[port] != baud else { return }
        if speeds.count >= Self.greatestCount { speeds.removeAll() }
        speeds[port] = baud
        do {
            try StateDirectory.replace(
                Self.name, in: directory, with: try WireCoding.encode(speeds))
        } catch {
            log.write(LogLine(.warning, "the line speed cannot be remembered: \(error)"))
        }
    }
}
