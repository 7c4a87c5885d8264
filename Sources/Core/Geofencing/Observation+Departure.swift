import Geodesy

/// The rows of `inside`: departures.
extension Observation {
    func judgeInside(_ raw: Reading, _ tracked: inout TrackedFence, into found: inout [Finding]) {
        let steady = steadyReading(of: tracked.prepared.shape, raw)
        if let outage {
            resume(after: outage, steady, &tracked, into: &found)
        } else if steady.isShownInside, tracked.state.visit?.isClockStopped == true {
            tracked.state.visit?.restartClock(at: moment)
        }
        leave(raw, steady: steady, &tracked, into: &found)
        guard tracked.state.presence == .inside else { return }
        tracked.state.visit?.isShown = steady.isShownInside
        tracked.state.visit?.isDecisive = steady.isInside && steady.isDecisive
        guard steady.isShownInside else { return }
        tracked.state.visit?.lastEvidence = moment
        dwellIfDue(&tracked, evidence("dwell", steady), into: &found)
    }

    /// The two exit rows; `steady`: the steady reading, where it is known.
    func leave(
        _ raw: Reading, steady: Reading?, _ tracked: inout TrackedFence,
        into found: inout [Finding]
    ) {
        if let stop {
            tracked.state.exitRun = nil
            guard let settled = stop.settled, !settled.isLatched else { return }
            let mean = departureReading(
                of: tracked.prepared.shape, settled, steady: steady)
            guard isBeyondMargin(mean, cap: tracked.prepared.fence.exitAccuracyCapMeters) else {
                return
            }
            let proof = evidence(
                "stationary_margin", mean, confirmations: settled.count,
                spanSeconds: stop.seconds)
            depart(&tracked, departure(of: tracked, beforeStop: true), proof, into: &found)
            return
        }
        guard isBeyondMargin(raw, cap: tracked.prepared.fence.exitAccuracyCapMeters) else {
            tracked.state.exitRun = nil
            return
        }
        let run = FixRun.extending(tracked.state.exitRun, at: now)
        tracked.state.exitRun = run
        guard run.count >= rules.exitCount, run.spanSeconds(at: now) >= rules.exitSpanSeconds
        else { return }
        let proof = evidence(
            "margin", raw, confirmations: run.count, spanSeconds: run.spanSeconds(at: now))
        depart(&tracked, departure(of: tracked, beforeStop: false), proof, into: &found)
    }

    private func isBeyondMargin(_ reading: Reading, cap: Double?) -> Bool {
        -reading.signedDistanceMeters
            > rules.departureMarginMeters(reading.accuracyMeters, capMeters: cap)
    }

    private func departure(of tracked: TrackedFence, beforeStop: Bool) -> Occurrence {
        occurrence(
            tracked.state.crossings.last(
                inward: false, beforeStop: beforeStop, notBefore: tracked.state.lastBoundary),
            fallbackUncertainty: beforeStop ? stop?.seconds : nil)
    }

    /// Ends the visit and makes the fence an outside one.
    func depart(
        _ tracked: inout TrackedFence, _ when: Occurrence, _ proof: Evidence,
        reason: Transition.Reason? = nil, into found: inout [Finding]
    ) {
        var exit = transition(.exit, of: tracked, when, proof)
        exit.reason = reason
        if let visit = tracked.state.visit {
            exit.endsVisit = visit.hasDwelled
            exit.isClockSuspect = visit.isSuspect
            exit.durationSeconds =
                visit.isSuspect ? nil : when.moment.seconds(since: visit.entered)
        }
        found.append(
            Finding(
                transition: exit, rank: .exit, areaSquareMeters: tracked.areaSquareMeters))
        tracked.state.leave(at: when.moment)
    }
}

extension FenceState {
    /// From inside to outside.
    mutating func leave(at occurred: Moment) {
        presence = .outside
        visit = nil
        exitRun = nil
        insideRun = nil
        since = occurred
        lastBoundary = occurred
    }
}
