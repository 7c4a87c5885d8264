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
    var monitored: [Int] = [] { didSet { isReachKnown = false } }
    /// For each of `monitored` the reading of `travelledMeters` below which nothing can have
    /// happened to it, and the least of them.
    var reaches: ContiguousArray<Double> = []
    var nearestReach = -Double.infinity
    /// Places in `monitored` that a fix may be news for; kept for its memory alone.
    private var news: ContiguousArray<Int> = []
    /// False where states changed behind the back of `reaches`.
    var isReachKnown = false
    /// Looks at every fence in full at the next fix.
    var looksEverywhere = false
    /// States kept over a restart, until the set that they belong to arrives.
    var restored: [String: FenceRecord] = [:]
    /// The same as the process before had them, where that is known.
    var handedOver: HandedOverFences?
    /// Of the set, see `signature(of:)`.
    var poolSignature: UInt64 = 0

    /// The last two accepted fixes, newest first.
    var previous: FilteredFix?
    var beforePrevious: FilteredFix?
    /// Of `previous`, which is large to look into.
    private(set) var previousUptime: Uptime?
    var period = NominalPeriod()
    /// An epoch without a position, or a restart, since the last accepted fix.
    var isInterrupted = false
    /// No epoch without a position since the restart from a persisted state: whether the device
    /// changed sides since the last fix that was persisted is news, not an outage.
    var isResuming = false
    /// The last fix before an outage that no good fix has ended yet.
    var outageOrigin: FilteredFix?
    /// Whether `outageOrigin` is one.
    var isOutageOpen = false
    var stop: Stationarity?
    /// Of `stop`, which is large to look into.
    var stopSince: Uptime?
    var speedEstimate = SpeedEstimate()
    var travelledMeters = 0.0
    /// Good fixes in motion, and outages that ended elsewhere, since the tracker began: fences that
    /// were not looked at meanwhile catch up with them.
    var motions = 0
    var breaks = 0
    /// The place of `previous`.
    private var previousPoint: SurfacePoint?
    var neighborhood = SurfaceNeighborhood()
    /// The first moment at which a fence of the set expires.
    var nextExpiry: UTCTime?
    /// Restored uptimes are still on the scale of another boot.
    var isScaleForeign = false
    /// The last hint of the ignition or another sensor; false: none.
    var isHintedStationary = false
    /// How often fences of the set have expired.
    public internal(set) var expiries = 0
    /// Whether anything changed that a restart must not forget, since the state was last taken.
    public internal(set) var isStateChanged = false

    public init(rules: TransitionRules = TransitionRules()) {
        self.rules = rules
    }

    /// The last accepted fix.
    public var lastFix: FilteredFix? { previous }

    /// Whether the device stands still.
    public var isStopped: Bool { stopSince != nil }

    /// Whether an epoch without a position came after the last accepted fix.
    public var isInterruptedNow: Bool { isInterrupted }

    /// Takes in one epoch of the quality gate; time linear in the monitored fences near enough to
    /// matter.
    public mutating func ingest(_ fix: FilteredFix) -> [Transition] {
        if fix.isVoid {
            isInterrupted = true
            isResuming = false
            return []
        }
        guard fix.verdict.isAccepted, let coordinate = fix.fix.coordinate else { return [] }
        var transitions = rules.holdsStationary ? advance(to: fix.fix.uptime) : []
        if nextExpiry != nil { transitions += expire(at: Moment(fix.fix)) }
        let step = step(to: fix, at: coordinate)
        if !isReachKnown { measureReach() }
        if travelledMeters + step.meanOffsetMeters >= nearestReach {
            let found = look(step, fix)
            if !found.isEmpty {
                isStateChanged = true
                transitions += Finding.ordered(found)
            }
        }
        finish(step, fix)
        return transitions
    }

    /// An accepted fix against the one before.
    struct Step {
        var point: SurfacePoint
        /// Seconds and metres from the fix before; 0 for the first.
        var gapSeconds: Double
        var movedMeters: Double
        var isClose: Bool
        /// Metres per second; nil: not known.
        var speed: Double?
        var wasStopped: Bool
        var outage: Observation.Outage?
        /// Bound of the distance from the fix to the mean of a settled stop, metres; 0: no such stop.
        var meanOffsetMeters: Double
    }

    private mutating func step(to fix: FilteredFix, at coordinate: Coordinate) -> Step {
        let now = fix.fix.uptime
        let point = SurfacePoint(coordinate, near: &neighborhood)
        var gap = 0.0
        var moved = 0.0
        if let before = previousUptime, let place = previousPoint {
            gap = max(0, now.seconds(since: before))
            moved = place.distance(to: point)
        }
        var step = Step(
            point: point, gapSeconds: gap, movedMeters: moved,
            isClose: previousUptime != nil && !isInterrupted && gap <= closeLimitSeconds,
            speed: fix.fix.speed, wasStopped: isStopped, outage: nil, meanOffsetMeters: 0)
        if step.speed == nil {
            step.speed = speedEstimate.speed(
                to: coordinate, at: now, spanSeconds: rules.displacementSpanSeconds)
        }
        updateStop(fix, at: coordinate, step)
        travelledMeters += moved
        if !step.isClose, previousUptime != nil, !isOutageOpen {
            outageOrigin = previous
            isOutageOpen = true
        }
        if fix.verdict == .ok, isOutageOpen {
            step.outage = outage(endedBy: fix, at: coordinate)
            if let outage = step.outage, !outage.isSamePlace,
                outage.gapSeconds > rules.closeSeconds
            {
                breaks += 1
            }
        }
        if let since = stopSince, now.seconds(since: since) >= rules.settleSeconds,
            let mean = stop?.arrivals.coordinate
        {
            step.meanOffsetMeters = coordinate.distanceBound(to: mean)
        }
        return step
    }

    /// Makes these the last two accepted fixes, newest first.
    mutating func resume(after fixes: [FilteredFix]) {
        previous = fixes.first
        beforePrevious = fixes.count > 1 ? fixes[1] : nil
        previousUptime = previous?.fix.uptime
        previousPoint = previous?.fix.coordinate.map(SurfacePoint.init)
    }

    /// The fix becomes the last one.
    private mutating func finish(_ step: Step, _ fix: FilteredFix) {
        if fix.verdict == .ok {
            isOutageOpen = false
            if !isStopped { motions += 1 }
        }
        if previousUptime != nil { period.add(step.gapSeconds) }
        beforePrevious = previous
        previous = fix
        previousUptime = fix.fix.uptime
        previousPoint = step.point
        isInterrupted = false
        isResuming = false
        looksEverywhere = false
        speedEstimate.add(step.point.coordinate, at: fix.fix.uptime)
    }

    private mutating func observation(_ step: Step, _ fix: FilteredFix) -> Observation {
        var rest: Observation.Stop?
        if let stop { rest = restState(stop, at: fix.fix.uptime) }
        return Observation(
            rules: rules, fix: fix, point: step.point, moment: Moment(fix.fix),
            speed: step.speed, previous: previous, gapSeconds: step.gapSeconds,
            movedMeters: step.movedMeters, isClose: step.isClose,
            isResumed: isResuming && step.gapSeconds <= rules.resumeSeconds, outage: step.outage,
            stop: rest, wasStopped: step.wasStopped,
            travelledMeters: travelledMeters, motions: motions, breaks: breaks)
    }

    // MARK: - Looking at fences

    /// Judges the fences that something may have happened to.
    private mutating func look(_ step: Step, _ fix: FilteredFix) -> [Finding] {
        var found: [Finding] = []
        findNews(step, isJudgedByFix: fix.verdict == .ok && step.outage == nil)
        if !news.isEmpty {
            let observation = observation(step, fix)
            for place in news {
                let outcome = fences[monitored[place]].judged(by: observation, into: &found)
                if outcome.isWorthPersisting { isStateChanged = true }
                reaches[place] = outcome.reachMeters
            }
        }
        nearestReach = .infinity
        for reach in reaches { nearestReach = min(nearestReach, reach) }
        return found
    }

    /// Measures the fences in reach and notes those for which the fix may be news: without an
    /// outage, one that stays outside by more than was moved has none.
    private mutating func findNews(_ step: Step, isJudgedByFix: Bool) {
        news.removeAll(keepingCapacity: true)
        let odometer = travelledMeters + step.meanOffsetMeters
        let near = max(step.movedMeters, step.meanOffsetMeters)
        for place in reaches.indices where odometer >= reaches[place] {
            // A fence that has a reach is quiet: else it would be -infinity.
            if isJudgedByFix, !looksEverywhere, reaches[place] > -.infinity,
                let reach = fences[monitored[place]].reach(
                    fromOutside: step.point, beyond: near, travelledMeters: travelledMeters)
            {
                reaches[place] = reach
            } else {
                news.append(place)
            }
        }
    }

    private mutating func measureReach() {
        isReachKnown = true
        reaches.removeAll(keepingCapacity: true)
        nearestReach = .infinity
        for index in monitored {
            let reach = looksEverywhere ? -.infinity : fences[index].reachMeters
            reaches.append(reach)
            nearestReach = min(nearestReach, reach)
        }
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
            gapSeconds: gap, movedMeters: moved,
            isSamePlace: moved <= max(rules.samePlaceMeters, slack)
                && gap <= rules.bridgeMaxSeconds,
            isNearby: moved <= max(rules.rampMeters, slack))
    }

    private mutating func updateStop(
        _ fix: FilteredFix, at coordinate: Coordinate, _ step: Step
    ) {
        if isStopped {
            let isEnded = stop?.isEnded(
                by: fix, at: coordinate, speed: step.speed, gap: step.gapSeconds, rules: rules)
            if isEnded == false {
                stop?.add(
                    fix, at: coordinate, closeGap: step.isClose ? step.gapSeconds : nil,
                    rules: rules)
                return
            }
            stop = nil
            stopSince = nil
        }
        if fix.verdict == .ok, let speed = step.speed, speed < rules.stopSpeed {
            stop = Stationarity(fix, at: coordinate, rules: rules)
            stopSince = fix.fix.uptime
        }
    }

    private mutating func restState(_ stop: Stationarity, at now: Uptime) -> Observation.Stop {
        let seconds = stop.seconds(at: now)
        guard seconds >= rules.settleSeconds else {
            return Observation.Stop(seconds: seconds, settled: nil)
        }
        let mean = SurfacePoint(stop.arrivals.coordinate, near: &neighborhood)
        return Observation.Stop(
            seconds: seconds,
            settled: Observation.Settled(
                point: mean, accuracyMeters: stop.arrivals.effectiveAccuracy(rules: rules),
                departure: stop.coarse.map {
                    .init(
                        point: SurfacePoint($0.coordinate, near: &neighborhood),
                        accuracyMeters: $0.effectiveAccuracy(rules: rules))
                },
                isLatched: stop.arrivals.isLatched(rules: rules), count: stop.arrivals.count))
    }
}
