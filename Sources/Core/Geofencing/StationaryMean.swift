import Geodesy
import Positioning
import Snapshots
import Timekeeping

/// The running mean position of a device that stands still.
///
/// Receiver errors wander with time constants of a minute and more, so no single fix beside an
/// edge means anything while the device is parked; the mean does, and the longer the better.
struct StationaryMean: Hashable, Sendable {
    private let origin: Coordinate
    /// Degrees from the origin.
    private var north = 0.0
    private var east = 0.0
    private(set) var accuracyMeters: Double
    /// Fixes since the mean began.
    private(set) var count: Int
    private var weight: Int
    /// Seconds between close fixes since the mean began; outages do not count.
    private(set) var elapsedSeconds = 0.0
    private(set) var since: Uptime
    private var recent: RecentMean

    init(_ fix: FilteredFix, at coordinate: Coordinate, rules: TransitionRules) {
        origin = coordinate
        accuracyMeters = fix.accuracyMeters
        count = 1
        weight = 1
        since = fix.fix.uptime
        recent = RecentMean(seconds: rules.recentSeconds)
        recent.add(.init(accuracy: fix.accuracyMeters, count: 1), at: since)
    }

    var coordinate: Coordinate {
        Coordinate(
            latitude: min(90, max(-90, origin.latitude + north)),
            longitude: Self.wrapped(origin.longitude + east)) ?? origin
    }

    /// The 68 % radius of the mean: T is at most a minute for each further fix.
    func effectiveAccuracy(rules: TransitionRules) -> Double {
        let span = min(elapsedSeconds, rules.averagingSeconds * Double(count - 1))
        return max(
            rules.settledAccuracyFloorMeters,
            accuracyMeters / (1 + span / rules.averagingSeconds).squareRoot())
    }

    func isLatched(rules: TransitionRules) -> Bool {
        elapsedSeconds >= rules.latchSeconds && count >= rules.latchFixes
    }

    /// Takes in a fix; `closeGap` is nil after an outage. Restarts from the last minute when that
    /// has moved away.
    mutating func add(
        _ fix: FilteredFix, at coordinate: Coordinate, closeGap: Double?, rules: TransitionRules
    ) {
        let sample = RecentMean.Bucket(
            north: coordinate.latitude - origin.latitude,
            east: Self.wrapped(coordinate.longitude - origin.longitude),
            accuracy: fix.accuracyMeters, elapsed: closeGap ?? 0, count: 1)
        count += 1
        weight = min(weight + 1, rules.meanMaxFixes)
        let share = 1 / Double(weight)
        north += (sample.north - north) * share
        east += (sample.east - east) * share
        accuracyMeters += (sample.accuracy - accuracyMeters) * share
        elapsedSeconds += sample.elapsed
        recent.add(sample, at: fix.fix.uptime)
        restartIfMoved(at: fix.fix.uptime, rules: rules)
    }

    private mutating func restartIfMoved(at now: Uptime, rules: TransitionRules) {
        let total = recent.total
        guard total.count >= rules.recentMinFixes,
            now.seconds(since: since) >= rules.recentSeconds,
            let place = Coordinate(
                latitude: origin.latitude + total.north / Double(total.count),
                longitude: Self.wrapped(origin.longitude + total.east / Double(total.count)))
        else { return }
        let limit = max(
            rules.recentShiftMeters, rules.recentShiftAccuracies * accuracyMeters)
        let mean = coordinate
        guard place.distanceBound(to: mean) > limit, place.distance(to: mean) > limit else {
            return
        }
        north = total.north / Double(total.count)
        east = total.east / Double(total.count)
        accuracyMeters = total.accuracy / Double(total.count)
        count = total.count
        weight = min(total.count, rules.meanMaxFixes)
        elapsedSeconds = total.elapsed
        since = now.advanced(byMilliseconds: -Int64(rules.recentSeconds * 1000))
    }

    private static func wrapped(_ degrees: Double) -> Double {
        degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
    }
}

extension StationaryMean: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(origin)
        snapshot.write(north)
        snapshot.write(east)
        snapshot.write(accuracyMeters)
        snapshot.write(count)
        snapshot.write(weight)
        snapshot.write(elapsedSeconds)
        snapshot.write(since)
        snapshot.write(recent)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        origin = try snapshot.read()
        north = try snapshot.read()
        east = try snapshot.read()
        accuracyMeters = try snapshot.read()
        count = try snapshot.readTally()
        weight = try snapshot.readTally()
        elapsedSeconds = try snapshot.read()
        since = try snapshot.read()
        recent = try snapshot.read()
        guard count > 0, weight > 0 else { throw .impossible("a mean of nothing") }
    }
}
