import Geodesy
import Timekeeping

/// Whether a receiver can have moved from one fix to another in the time between them.
enum Plausibility {
    /// Of a fix, what its comparison with another needs.
    struct State: Hashable, Sendable {
        var coordinate: Coordinate?
        var uptime: Uptime
        /// Where it is trusted.
        var time: UTCTime?
        var speed: Double?
        var accuracyMeters: Double

        init(_ filtered: FilteredFix) {
            coordinate = filtered.fix.coordinate
            uptime = filtered.fix.uptime
            time = filtered.fix.isTimeTrusted ? filtered.fix.time : nil
            speed = filtered.fix.speed
            accuracyMeters = filtered.accuracyMeters
        }
    }

    /// Seconds between two fixes: the longer of what uptime and trusted times say, since late
    /// delivery bunches fixes and must not make them look fast.
    static func seconds(from earlier: State, to later: State) -> Double {
        let uptime = later.uptime.seconds(since: earlier.uptime)
        guard let start = earlier.time, let end = later.time else { return max(0, uptime) }
        return max(0, uptime, end.seconds(since: start))
    }

    static func isPlausible(
        from earlier: FilteredFix, to later: FilteredFix, rules: FixFilterRules
    ) -> Bool {
        isPlausible(from: State(earlier), to: State(later), rules: rules)
    }

    static func isPlausible(
        from earlier: State, to later: State, rules: FixFilterRules
    ) -> Bool {
        guard let start = earlier.coordinate, let end = later.coordinate else { return true }
        let interval = seconds(from: earlier, to: later)
        let limit =
            speedLimit(earlier.speed, later.speed, rules) * interval
            + 2 * (earlier.accuracyMeters + later.accuracyMeters) + rules.displacementMarginMeters
        return start.distanceBound(to: end) <= limit || start.distance(to: end) <= limit
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
        let interval = seconds(from: State(first), to: State(last))
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
