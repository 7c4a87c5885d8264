import Geodesy
import Geofencing
import Positioning
import Timekeeping

/// When the position is worth a write although nothing was decided.
///
/// After a power cut the last persisted fix is what the first new one is compared with, so while
/// the device is inside a fence it must not be old: it is taken when the device stops or moves
/// on, when the fix is lost, after some way, and once a minute.
struct Checkpoint: Hashable, Sendable {
    static let periodSeconds = 60.0
    static let wayMeters = 25.0
    /// Not more often than this for the way alone.
    static let wayMinSeconds = 15.0

    private(set) var isDue = false
    private var lastUptime: Uptime?
    private var lastPlace: Coordinate?

    mutating func note(_ tracker: FenceTracker, at now: Uptime, isTurn: Bool) {
        let age = lastUptime.map { now.seconds(since: $0) } ?? .infinity
        guard isTurn || age >= Self.wayMinSeconds, tracker.isInsideAny else { return }
        isDue = isWorthIt(tracker, age: age, isTurn: isTurn)
    }

    private func isWorthIt(_ tracker: FenceTracker, age: Double, isTurn: Bool) -> Bool {
        if isTurn || age >= Self.periodSeconds { return true }
        guard let place = tracker.lastFix?.fix.coordinate, let lastPlace else { return true }
        return place.distance(to: lastPlace) > Self.wayMeters
    }

    mutating func taken(_ tracker: FenceTracker) {
        isDue = false
        lastUptime = tracker.lastFix?.fix.uptime
        lastPlace = tracker.lastFix?.fix.coordinate
    }
}
