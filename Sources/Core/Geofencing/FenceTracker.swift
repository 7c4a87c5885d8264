import Geodesy
import Positioning
import Timekeeping

/// Decides enter, exit, dwell and pass: fixes and fence sets in, transitions out.
///
/// Invariants: only evidence changes a state, never time alone; no exit without an enter before
/// it; the same inputs give the same transitions; a fix that was not accepted changes nothing but
/// the memory of an outage; uptimes never decrease.
public struct FenceTracker: Sendable {
    public var rules: TransitionRules
    var fences: [TrackedFence] = []
    var indexByID: [String: Int] = [:]
    /// Indices of the fences that are looked at.
    var monitored: [Int] = []
    /// States kept over a restart, until the set that they belong to arrives.
    var restored: [String: FenceRecord] = [:]

    /// The last two accepted fixes, newest first.
    var previous: FilteredFix?
    var beforePrevious: FilteredFix?
    var period = NominalPeriod()
    /// An epoch without a position, or a restart, since the last accepted fix.
    var isInterrupted = false
    /// The last fix before an outage that no good fix has ended yet.
    var outageOrigin: FilteredFix?
    var stop: Stationarity?
    var speedEstimate = SpeedEstimate()
    var travelledMeters = 0.0
    /// The first moment at which a fence of the set expires.
    var nextExpiry: UTCTime?
    /// Restored uptimes are still on the scale of another boot.
    var isScaleForeign = false
    /// The last hint of the ignition or another sensor; false: none.
    var isHintedStationary = false
    /// Whether anything changed that a restart must not forget, since the state was last taken.
    public internal(set) var isStateChanged = false

    public init(rules: TransitionRules = TransitionRules()) {
        self.rules = rules
    }

    /// The last accepted fix.
    public var lastFix: FilteredFix? { previous }

    /// Whether the device stands still.
    public var isStopped: Bool { stop != nil }

    /// Whether an epoch without a position came after the last accepted fix.
    public var isInterruptedNow: Bool { isInterrupted }

    /// Takes in one epoch of the quality gate; time linear in the monitored fences near enough to
    /// matter.
    public mutating func ingest(_ fix: FilteredFix) -> [Transition] {
        if fix.isVoid {
            isInterrupted = true
            return []
        }
        guard fix.verdict.isAccepted, let coordinate = fix.fix.coordinate else { return [] }
        var transitions = advance(to: fix.fix.uptime)
        transitions += expire(at: Moment(fix.fix))
        let observation = observe(fix, at: coordinate)
        var found: [Finding] = []
        for index in monitored {
            if fences[index].isOutOfReach(observation) { continue }
            let before = fences[index].state
            observation.judge(&fences[index], into: &found)
            if fences[index].state.isWorthPersisting(after: before) { isStateChanged = true }
        }
        if !found.isEmpty {
            isStateChanged = true
            transitions += Finding.ordered(found)
        }
        return transitions
    }

    /// Puts an accepted fix into its context and makes it the last one.
    private mutating func observe(_ fix: FilteredFix, at coordinate: Coordinate) -> Observation {
        let now = fix.fix.uptime
        let gap = previous.map { max(0, now.seconds(since: $0.fix.uptime)) } ?? 0
        let moved = previous?.fix.coordinate.map { $0.distance(to: coordinate) } ?? 0
        let isClose = previous != nil && !isInterrupted && gap <= closeLimitSeconds
        let speed =
            fix.fix.speed
            ?? speedEstimate.speed(
                to: coordinate, at: now, spanSeconds: rules.displacementSpanSeconds)
        let wasStopped = stop != nil
        updateStop(fix, at: coordinate, speed: speed, gap: gap, isClose: isClose)
        if previous != nil, !isClose { outageOrigin = outageOrigin ?? previous }
        travelledMeters += moved
        let observation = Observation(
            rules: rules, fix: fix, point: SurfacePoint(coordinate), moment: Moment(fix.fix),
            speed: speed, previous: previous, gapSeconds: gap, movedMeters: moved,
            isClose: isClose,
            outage: fix.verdict == .ok ? outage(endedBy: fix, at: coordinate) : nil,
            stop: stop.map { restState($0, at: now, coordinate) }, wasStopped: wasStopped,
            travelledMeters: travelledMeters)
        if fix.verdict == .ok { outageOrigin = nil }
        if previous != nil { period.add(gap) }
        beforePrevious = previous
        previous = fix
        isInterrupted = false
        speedEstimate.add(coordinate, at: now)
        return observation
    }

    /// The longest time between two fixes that is not an outage, seconds.
    var closeLimitSeconds: Double {
        max(rules.closeSeconds, rules.closePeriods * (period.seconds ?? 0))
    }

    private func outage(
        endedBy fix: FilteredFix, at coordinate: Coordinate
    ) -> Observation.Outage? {
        guard let origin = outageOrigin, let place = origin.fix.coordinate else { return nil }
        let gap = max(0, fix.fix.uptime.seconds(since: origin.fix.uptime))
        let moved = place.distance(to: coordinate)
        let slack = rules.placeAccuracies * (origin.accuracyMeters + fix.accuracyMeters)
        return Observation.Outage(
            origin: origin, gapSeconds: gap, movedMeters: moved,
            isSamePlace: moved <= max(rules.samePlaceMeters, slack)
                && gap <= rules.bridgeMaxSeconds,
            isNearby: moved <= max(rules.rampMeters, slack))
    }

    private mutating func updateStop(
        _ fix: FilteredFix, at coordinate: Coordinate, speed: Double?, gap: Double, isClose: Bool
    ) {
        let isEnded = stop?.isEnded(by: fix, at: coordinate, speed: speed, gap: gap, rules: rules)
        switch isEnded {
        case false?:
            stop?.add(fix, at: coordinate, closeGap: isClose ? gap : nil, rules: rules)
            return
        case true?: stop = nil
        case nil: break
        }
        if fix.verdict == .ok, let speed, speed < rules.stopSpeed {
            stop = Stationarity(fix, at: coordinate, rules: rules)
        }
    }

    private func restState(
        _ stop: Stationarity, at now: Uptime, _ coordinate: Coordinate
    ) -> Observation.Stop {
        let seconds = stop.seconds(at: now)
        guard seconds >= rules.settleSeconds else {
            return Observation.Stop(seconds: seconds, settled: nil)
        }
        let mean = SurfacePoint(stop.arrivals.coordinate)
        let departures = stop.departures
        return Observation.Stop(
            seconds: seconds,
            settled: Observation.Settled(
                point: mean, accuracyMeters: stop.arrivals.effectiveAccuracy(rules: rules),
                departurePoint: stop.hasCoarseFixes
                    ? SurfacePoint(departures.coordinate) : mean,
                departureAccuracyMeters: departures.effectiveAccuracy(rules: rules),
                isLatched: stop.arrivals.isLatched(rules: rules), count: stop.arrivals.count,
                offsetMeters: mean.distance(to: SurfacePoint(coordinate))))
    }
}
