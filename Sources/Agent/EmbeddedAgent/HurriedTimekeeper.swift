import LinuxSystem
import Timekeeping

/// The time of an agent that replays a recording faster than it was made.
///
/// Its uptimes are those of no boot of this machine: it has a boot id of its own, so that nobody
/// compares them with others. Nobody vouches for its wall clock.
struct HurriedTimekeeper: Timekeeper {
    let bootID: BootID
    private let factor: Int64
    private let system = SystemTimekeeper()
    private let start: Uptime

    init(factor: Int) {
        self.factor = Int64(max(1, factor))
        start = system.uptime
        let digits = "0123456789abcdef"
        bootID = BootID(String((0..<32).map { _ in digits.randomElement() ?? "0" }))
    }

    var uptime: Uptime {
        start.advanced(
            byMilliseconds: (system.uptime.milliseconds - start.milliseconds) * factor)
    }

    /// Not hurried: threads work no faster.
    var awakeMilliseconds: Int64 { system.awakeMilliseconds }

    var wallClock: WallClockReading {
        WallClockReading(time: system.wallClock.time, isSynchronised: false)
    }
}
