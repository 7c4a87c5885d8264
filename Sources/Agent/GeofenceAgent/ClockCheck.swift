import Positioning
import Timekeeping

/// Compares the time of a fix with a wall clock that somebody keeps synchronised.
///
/// A receiver that disagrees with it has lost count of weeks or leap seconds, or somebody feeds it
/// signals that are none. The fix is used, for the clock may be the one that is wrong; the doubt
/// travels with its events.
enum ClockCheck {
    /// What reception and a slow line explain, and a little more.
    static let toleranceSeconds = 2.0

    /// The fix, flagged where it disagrees; `now` is when the clock was read.
    static func marked(
        _ fix: Fix, against clock: WallClockReading, at now: Uptime
    ) -> Fix {
        guard fix.source != .fixed, clock.isSynchronised, let time = fix.time else { return fix }
        let atReception = clock.time.advanced(
            byMilliseconds: fix.uptime.milliseconds - now.milliseconds)
        guard abs(time.seconds(since: atReception)) > toleranceSeconds else { return fix }
        var marked = fix
        marked.integrityFlags.insert(.clockMismatch)
        return marked
    }
}
