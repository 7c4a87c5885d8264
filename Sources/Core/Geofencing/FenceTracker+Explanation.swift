import Geodesy
import Positioning
import Timekeeping

/// "Why no event?": what the rows of the state table lack.
extension FenceTracker {
    /// Nil for an id that is not in the pool. Read-only; measures one fence.
    public func explanation(of id: String, at now: Uptime) -> FenceExplanation? {
        guard let index = indexByID[id], !fences[index].isRetired else { return nil }
        let tracked = fences[index]
        let measure = measure(of: tracked)
        var result = FenceExplanation(
            fence: tracked.fence, presence: tracked.state.presence, since: tracked.state.since,
            isMonitored: tracked.isMonitored, isFrozen: tracked.isFrozen,
            awaitsJudgement: tracked.state.awaitsJudgement, fix: previous,
            restSeconds: previous.flatMap { last in stop?.seconds(at: last.fix.uptime) },
            measure: measure, rows: [], dwell: dwell(of: tracked, at: now), why: .noFix)
        if let measure { result.rows = rows(of: tracked, measure) }
        result.why = why(result, tracked)
        return result
    }

    private var isSettled: Bool {
        guard let stop, let previous else { return false }
        return stop.seconds(at: previous.fix.uptime) >= rules.settleSeconds
    }

    /// The place that the next row looks at: the mean of a settled stop, else the fix.
    private func measure(of tracked: TrackedFence) -> FenceExplanation.Measure? {
        guard let previous, let coordinate = previous.fix.coordinate else { return nil }
        let shape = tracked.prepared.shape
        guard let stop, isSettled else {
            return FenceExplanation.Measure(
                meanFixes: nil,
                signedDistanceMeters: shape.signedDistance(to: SurfacePoint(coordinate)),
                accuracyMeters: previous.accuracyMeters)
        }
        let isLeaving = tracked.state.presence == .inside && !tracked.state.awaitsJudgement
        let mean = isLeaving ? stop.departures : stop.arrivals
        return FenceExplanation.Measure(
            meanFixes: mean.count,
            signedDistanceMeters: shape.signedDistance(to: SurfacePoint(mean.coordinate)),
            accuracyMeters: mean.effectiveAccuracy(rules: rules))
    }

    // MARK: - Rows

    private func rows(
        of tracked: TrackedFence, _ measure: FenceExplanation.Measure
    ) -> [FenceExplanation.Row] {
        if tracked.state.presence == .unknown || tracked.state.awaitsJudgement {
            return [row("seed_decisive", .enter, measure, needs: measure.accuracyMeters)]
        }
        if tracked.state.presence == .inside { return [departure(of: tracked, measure)] }
        return stop == nil
            ? movingArrivals(of: tracked, measure) : [restingArrival(tracked, measure)]
    }

    private func departure(
        of tracked: TrackedFence, _ measure: FenceExplanation.Measure
    ) -> FenceExplanation.Row {
        let needed = -rules.departureMarginMeters(
            measure.accuracyMeters, capMeters: tracked.fence.exitAccuracyCapMeters)
        if stop != nil { return row("stationary_margin", .exit, measure, needs: needed) }
        var result = row("margin", .exit, measure, needs: needed)
        result.neededConfirmations = rules.exitCount
        result.neededSpanSeconds = rules.exitSpanSeconds
        result.count(tracked.state.exitRun, until: previous?.fix.uptime)
        return result
    }

    private func restingArrival(
        _ tracked: TrackedFence, _ measure: FenceExplanation.Measure
    ) -> FenceExplanation.Row {
        let share = tracked.fence.arrival == .strict ? 1 : rules.settledArrivalShare
        return row("stationary_mean", .enter, measure, needs: share * measure.accuracyMeters)
    }

    private func movingArrivals(
        of tracked: TrackedFence, _ measure: FenceExplanation.Measure
    ) -> [FenceExplanation.Row] {
        let decisive = row("decisive", .enter, measure, needs: measure.accuracyMeters)
        switch tracked.fence.arrival {
        case .strict: return [decisive]
        case .eager: return [decisive, row("eager", .enter, measure, needs: 0)]
        case .balanced: break
        }
        let run = tracked.state.insideRun
        var fast = row("fast_repeated", .enter, measure, needs: 0)
        fast.neededConfirmations = rules.fastCount
        fast.neededSpanSeconds = rules.fastSpanSeconds
        fast.neededSpeed = rules.fastSpeed
        fast.count(run?.fast, until: previous?.fix.uptime)
        let count = Double(run?.all.count ?? 0)
        let mean = count > 0 ? (run?.distanceSum ?? 0) / count : measure.signedDistanceMeters
        let accuracy = count > 0 ? (run?.accuracySum ?? 0) / count : measure.accuracyMeters
        var slow = row("slow_mean", .enter, measure, needs: rules.slowShare * accuracy)
        slow.missingMeters = max(0, slow.neededDistanceMeters - mean)
        slow.neededConfirmations = rules.slowCount
        slow.neededSpanSeconds = rules.slowSpanSeconds
        slow.count(run?.all, until: previous?.fix.uptime)
        return [decisive, fast, slow]
    }

    private func row(
        _ rule: String, _ kind: Transition.Kind, _ measure: FenceExplanation.Measure,
        needs needed: Double
    ) -> FenceExplanation.Row {
        let missing = needed - measure.signedDistanceMeters
        return FenceExplanation.Row(
            rule: rule, kind: kind, neededDistanceMeters: needed,
            missingMeters: max(0, kind == .exit ? -missing : missing), confirmations: 0,
            neededConfirmations: 1, spanSeconds: 0, neededSpanSeconds: 0)
    }

    // MARK: - Words

    private func dwell(of tracked: TrackedFence, at now: Uptime) -> FenceExplanation.Dwell? {
        guard let visit = tracked.state.visit, let needed = tracked.fence.dwellSeconds else {
            return nil
        }
        let elapsed = visit.clockStart.uptime.map { max(0, now.seconds(since: $0)) } ?? 0
        return FenceExplanation.Dwell(
            elapsedSeconds: visit.isClockStopped ? 0 : elapsed, neededSeconds: needed,
            isReached: visit.hasDwelled, isStopped: visit.isClockStopped)
    }

    private func why(
        _ explanation: FenceExplanation, _ tracked: TrackedFence
    ) -> FenceExplanation.Why {
        guard let measure = explanation.measure, let previous else { return .noFix }
        if tracked.isFrozen { return .overlapOverflow }
        guard tracked.isMonitored else { return .notMonitored }
        if tracked.state.presence == .unknown || tracked.state.awaitsJudgement { return .unknown }
        if let stop, stop.arrivals.isLatched(rules: rules) { return .latched }
        let isWithin = measure.signedDistanceMeters > 0
        if tracked.state.presence == .inside {
            if isWithin { return .inside }
            return stop != nil && !isSettled ? .settling : .departureUnconfirmed
        }
        guard isWithin else { return .outside }
        if previous.verdict == .departOnly { return .coarseFix }
        return stop != nil && !isSettled ? .settling : .arrivalUnconfirmed
    }
}

extension FenceExplanation.Row {
    /// What a run of fixes says for the row.
    fileprivate mutating func count(_ run: FixRun?, until now: Uptime?) {
        guard let run, let now else { return }
        confirmations = run.count
        spanSeconds = run.spanSeconds(at: now)
    }
}
