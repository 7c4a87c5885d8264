import Geodesy
import Timekeeping

/// Whether a receiver can have moved from one fix to another in the time between them.
enum Plausibility {
    /// Seconds between two fixes: the longer of what uptime and trusted times say, since late
    /// delivery bunches fixes and must not make them look fast.
    static func seconds(from earlier: Fix, to later: Fix) -> Double {
        let uptime = later.uptime.seconds(since: earlier.uptime)
        guard let start = earlier.time, let end = later.time, earlier.isTimeTrusted,
            later.isTimeTrusted
        else { return max(0, uptime) }
        return max(0, uptime, end.seconds(since: start))
    }

    static func isPlausible(
        from earlier: FilteredFix, to later: FilteredFix, rules: FixFilterRules
    ) -> Bool {
        guard let start = earlier.fix.coordinate, let end = later.fix.coordinate else {
            return true
        }
        let interval = seconds(from: earlier.fix, to: later.fix)
        return start.distance(to: end)
            <= speedLimit(earlier.fix.speed, later.fix.speed, rules) * interval
            + 2 * (earlier.accuracyMeters + later.accuracyMeters) + rules.displacementMarginMeters
    }

    private static func speedLimit(
        _ first: Double?, _ second: Double?, _ rules: FixFilterRules
    ) -> Double {
        guard let first, let second else { return rules.unknownSpeedLimit }
        return max(first, second) + rules.speedMargin
    }

    /// Whether a run of fixes moves and its speeds agree with its displacement.
    static func agreesWithDoppler(_ run: ArraySlice<FilteredFix>, rules: FixFilterRules) -> Bool {
        guard let first = run.first, let last = run.last, let start = first.fix.coordinate,
            let end = last.fix.coordinate
        else { return false }
        let interval = seconds(from: first.fix, to: last.fix)
        guard interval > 0 else { return false }
        var sum = 0.0
        for member in run {
            guard let speed = member.fix.speed, speed > rules.dopplerMinSpeed else { return false }
            sum += speed
        }
        let displacementSpeed = start.distance(to: end) / interval
        return abs(displacementSpeed - sum / Double(run.count)) <= rules.dopplerTolerance
    }
}
