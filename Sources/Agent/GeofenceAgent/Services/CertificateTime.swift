import Positioning
import Synchronization
import Timekeeping

/// The time at which certificates are judged, on a machine whose clock may be wrong.
///
/// A certificate is never taken for valid because the clock is wrong: the time only moves forward
/// from what is known for sure (the build, the last good time), and a trusted receiver's time
/// stands in for a clock that nobody vouches for.
public final class CertificateTime: Sendable {
    private struct State {
        var lastGood: UTCTime?
        var trusted: TrustedTime?
    }

    private let floor: UTCTime
    private let state = Mutex(State())

    /// `floor`: the day of the build.
    public init(floor: CalendarDate) {
        self.floor = UTCTime(date: floor, millisecondsOfDay: 0)
    }

    /// A time of an earlier run that was trusted.
    public func restore(_ lastGood: UTCTime) { state.withLock { $0.lastGood = lastGood } }

    /// A trusted time of this boot.
    func learn(_ time: TrustedTime) { state.withLock { $0.trusted = time } }

    /// The time, and whether anybody vouches for it.
    public func now(
        _ wall: WallClockReading, at uptime: Uptime
    ) -> (time: UTCTime, isTrusted: Bool) {
        let known = state.withLock { $0 }
        let satellites = known.trusted?.time(at: uptime)
        // A clock that runs ahead would make every certificate look out of date.
        let usesWall = wall.isSynchronised || satellites == nil
        let candidates = [floor, known.lastGood, satellites, usesWall ? wall.time : nil]
        return (
            candidates.compactMap { $0 }.max() ?? floor, wall.isSynchronised || satellites != nil
        )
    }
}
