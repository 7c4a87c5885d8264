import Geodesy
import Positioning
import Snapshots
import Timekeeping

/// A stop of the device: when it began, where it is on average, and what speaks for its end.
struct Stationarity: Hashable, Sendable {
    let since: Uptime
    /// Decides arrivals: fixes of up to 100 m.
    private(set) var arrivals: StationaryMean
    /// Decides departures: coarser fixes too; nil while there were none and both are the same.
    private(set) var coarse: StationaryMean?
    private var movingFixes = 0
    private var fastFixes = 0

    init(_ fix: FilteredFix, at coordinate: Coordinate, rules: TransitionRules) {
        since = fix.fix.uptime
        arrivals = StationaryMean(fix, at: coordinate, rules: rules)
    }

    var departures: StationaryMean { coarse ?? arrivals }

    /// Seconds since the stop began, outages included.
    func seconds(at now: Uptime) -> Double { now.seconds(since: since) }

    /// Whether this fix shows that the device moves again. `gap` is the time since the fix before.
    mutating func isEnded(
        by fix: FilteredFix, at coordinate: Coordinate, speed: Double?, gap: Double,
        rules: TransitionRules
    ) -> Bool {
        if let speed {
            movingFixes = speed > rules.moveSpeed ? movingFixes + 1 : 0
            fastFixes = speed > rules.fastMoveSpeed ? fastFixes + 1 : 0
        }
        if movingFixes >= rules.moveCount || fastFixes >= rules.fastMoveCount { return true }
        guard fastFixes > 0 || gap > rules.farGapSeconds else { return false }
        let limit = max(
            rules.farFromMeanMeters,
            rules.placeAccuracies * (fix.accuracyMeters + arrivals.accuracyMeters))
        return coordinate.distance(to: arrivals.coordinate) > limit
    }

    /// Takes in a fix of the stop; `closeGap` is nil after an outage.
    mutating func add(
        _ fix: FilteredFix, at coordinate: Coordinate, closeGap: Double?, rules: TransitionRules
    ) {
        if fix.verdict == .departOnly, coarse == nil { coarse = arrivals }
        coarse?.add(fix, at: coordinate, closeGap: closeGap, rules: rules)
        if fix.verdict == .ok {
            arrivals.add(fix, at: coordinate, closeGap: closeGap, rules: rules)
        }
    }
}

extension Stationarity: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(since)
        snapshot.write(arrivals)
        snapshot.write(coarse)
        snapshot.write(movingFixes)
        snapshot.write(fastFixes)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        since = try snapshot.read()
        arrivals = try snapshot.read()
        coarse = try snapshot.read()
        movingFixes = try snapshot.readTally()
        fastFixes = try snapshot.readTally()
    }
}
