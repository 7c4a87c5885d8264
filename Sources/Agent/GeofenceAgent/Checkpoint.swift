import Geodesy
import Geofencing
import Positioning
import Timekeeping

/// When the position is worth a write although nothing was decided.
///
/// After a power cut the last persisted fix is what the first new one is compared with, so while
/// the device is inside a fence it must not be old: it is taken once a minute, and at once where the
/// device stops or loses the fix away from it, since that is where power may be cut for hours.
/// Outside of all fences nothing is written.
struct Checkpoint: Hashable, Sendable {
    static let periodSeconds = 60.0
    /// Half of what a device may have moved over an outage and still be at the same place.
    static let wayMeters = 25.0

    private(set) var isDue = false
    private var lastUptime: Uptime?
    private var lastPlace: Coordinate?

    /// - Parameter isPause: the device has just stopped, or lost the fix.
    mutating func note(_ tracker: FenceTracker, at now: Uptime, isPause: Bool) {
        let age = lastUptime.map { now.seconds(since: $0) } ?? .infinity
        guard isPause || age >= Self.periodSeconds, tracker.isInsideAny else { return }
        if age >= Self.periodSeconds || isAway(tracker) { isDue = true }
    }

    private func isAway(_ tracker: FenceTracker) -> Bool {
        guard let place = tracker.lastFix?.fix.coordinate, let lastPlace else { return true }
        return place.distance(to: lastPlace) > Self.wayMeters
    }

    mutating func taken(_ tracker: FenceTracker) {
        isDue = false
        lastUptime = tracker.lastFix?.fix.uptime
        lastPlace = tracker.lastFix?.fix.coordinate
    }
}
