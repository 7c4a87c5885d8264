import Geofencing
import Positioning
import Timekeeping

/// Holds back the first fixes of a boot until it is known how long the machine was off.
///
/// A receiver's time is trusted a few epochs after its first fix, and only a trusted time tells
/// how long the outage was over which a visit may go on.
struct BootBridge: Sendable {
    /// Fixes held back at most.
    static let fixesMax = 32
    /// Seconds after the first fix at which the visit goes on with a suspect clock.
    static let waitSeconds = 20.0

    private(set) var state: FenceTracker.State
    private(set) var held: [FilteredFix] = []

    init(_ state: FenceTracker.State) {
        self.state = state
    }

    enum Outcome {
        case waiting
        /// Milliseconds that the old uptime scale must be moved by; nil: no clock spans the boots.
        case resolved(shiftMilliseconds: Int64?)
    }

    mutating func take(_ fix: FilteredFix) -> Outcome {
        held.append(fix)
        guard let last = state.lastMoment, let lastUTC = last.utc, let lastUptime = last.uptime
        else { return .resolved(shiftMilliseconds: nil) }
        if fix.fix.isTimeTrusted, let utc = fix.fix.time {
            let off = utc.milliseconds(since: lastUTC)
            let shift = fix.fix.uptime.milliseconds - off - lastUptime.milliseconds
            // A clock that went backwards over the reboot spans nothing.
            return .resolved(shiftMilliseconds: off >= 0 ? shift : nil)
        }
        let waited = held.first.map { fix.fix.uptime.seconds(since: $0.fix.uptime) } ?? 0
        return held.count >= Self.fixesMax || waited >= Self.waitSeconds
            ? .resolved(shiftMilliseconds: nil) : .waiting
    }
}
