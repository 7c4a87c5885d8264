import LinuxSystem
import ReferenceServer
import Timekeeping

/// Deletes what is old, on a thread of its own: it waits for the disk.
final class Housekeeping: Sendable {
    /// Once an hour, of which one a day finds something: a server that sleeps at night catches up.
    private static let pauseMilliseconds = 3_600_000
    /// A piece takes a fraction of a second; a disk that hangs does not hold up the end.
    private static let longestPieceMilliseconds = 5_000

    private let end: WakeEvent
    private let thread: DedicatedThread

    /// Begins at once. Throws where the system has no thread left.
    init(
        _ store: any ServerStore, days: Int, timekeeper: any Timekeeper, log: any LogSink
    ) throws(SystemError) {
        let end = try WakeEvent()
        self.end = end
        thread = try DedicatedThread(name: "housekeeping") {
            repeat {
                Self.run(
                    Retention(store, days: days), days: days, at: timekeeper.wallClock, log: log,
                    end: end)
                Self.warnOfCopies(in: store, log: log)
            } while !end.wait(milliseconds: Self.pauseMilliseconds)
        }
    }

    /// Waits for the piece that is being deleted.
    func stop() {
        end.signal()
        thread.join(milliseconds: Self.longestPieceMilliseconds)
    }

    /// Names nobody: the log belongs to whoever runs the server, devices to its customers.
    private static func warnOfCopies(in store: any ServerStore, log: any LogSink) {
        do {
            let count = try store.interleavedDeviceCount()
            guard count > 0 else { return }
            log.write(
                LogLine(
                    .warning,
                    "\(count) device ids are used by two devices at once: "
                        + "GET /v1/admin/devices?alarm=interleaved_epochs"))
        } catch {
            log.write(LogLine(.error, "housekeeping: \(error)"))
        }
    }

    private static func run(
        _ retention: Retention, days: Int, at clock: WallClockReading, log: any LogSink,
        end: WakeEvent
    ) {
        do {
            switch try retention.run(at: clock, isStopped: { end.wait(milliseconds: 0) }) {
            case .deleted(0): break
            case .deleted(let count):
                log.write(LogLine(.info, "deleted \(count) events of more than \(days) days"))
            case .unsynchronised:
                log.write(
                    LogLine(
                        .warning,
                        "retention: nothing is deleted until the system's clock is synchronised"))
            case .doubted:
                log.write(
                    LogLine(
                        .warning,
                        "retention: the date is more than a week after that of the last run, or this "
                            + "is the first: nothing is deleted until tomorrow's run confirms it"))
            }
        } catch {
            log.write(LogLine(.error, "retention: \(error)"))
        }
    }
}
