import Synchronization
import Timekeeping

/// A clock that moves only when told to, for scenarios: uptime, wall clock and boot apart.
public final class ManualTimekeeper: Timekeeper {
    private let state: Mutex<State>

    private struct State {
        var uptime: Uptime
        var wallClock: WallClockReading
        var boot = 1
        var suspendedMilliseconds: Int64 = 0
    }

    public init(
        uptime: Uptime = Uptime(milliseconds: 60_000), wallClock: UTCTime,
        isSynchronised: Bool = true
    ) {
        state = Mutex(
            State(
                uptime: uptime,
                wallClock: WallClockReading(time: wallClock, isSynchronised: isSynchronised)))
    }

    public var uptime: Uptime { state.withLock { $0.uptime } }
    public var wallClock: WallClockReading { state.withLock { $0.wallClock } }

    public var awakeMilliseconds: Int64 {
        state.withLock { $0.uptime.milliseconds - $0.suspendedMilliseconds }
    }

    /// 32 hex digits that count the boots.
    public var bootID: BootID {
        let digits = String(state.withLock { $0.boot }, radix: 16)
        return BootID(String(repeating: "0", count: 32 - digits.count) + digits)
    }

    /// Both clocks go on.
    public func advance(milliseconds: Int64) {
        state.withLock {
            $0.uptime = $0.uptime.advanced(byMilliseconds: milliseconds)
            $0.wallClock.time = $0.wallClock.time.advanced(byMilliseconds: milliseconds)
        }
    }

    /// Both clocks go on, and nobody does anything meanwhile.
    public func suspend(milliseconds: Int64) {
        advance(milliseconds: milliseconds)
        state.withLock { $0.suspendedMilliseconds += milliseconds }
    }

    /// The wall clock alone is set.
    public func setWallClock(_ time: UTCTime, isSynchronised: Bool) {
        state.withLock {
            $0.wallClock = WallClockReading(time: time, isSynchronised: isSynchronised)
        }
    }

    /// The machine was off for so long: the uptime starts anew under another boot id.
    public func reboot(afterMilliseconds milliseconds: Int64) {
        state.withLock {
            $0.boot += 1
            $0.uptime = Uptime(milliseconds: 0)
            $0.suspendedMilliseconds = 0
            $0.wallClock.time = $0.wallClock.time.advanced(byMilliseconds: milliseconds)
        }
    }
}
