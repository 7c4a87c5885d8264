import Geodesy
import Positioning

/// The rows of `outside`.
extension Observation {
    func judgeOutside(
        _ raw: Reading, _ tracked: inout TrackedFence, into found: inout [Finding]
    ) {
        if stop == nil {
            judgeMovingOutside(raw, &tracked, into: &found)
        } else {
            judgeStoppedOutside(raw, &tracked, into: &found)
        }
    }

    private func judgeMovingOutside(
        _ raw: Reading, _ tracked: inout TrackedFence, into found: inout [Finding]
    ) {
        guard raw.isInside else {
            pass(raw, &tracked, into: &found)
            tracked.state.insideRun = nil
            return
        }
        let run = extended(
            tracked.state.insideRun, tracked.state.crossings,
            notBefore: tracked.state.lastBoundary, by: raw)
        tracked.state.insideRun = run
        guard let proof = arrivalInMotion(raw, run, tracked.fence.arrival) else { return }
        enter(&tracked, proof, raw, beforeStop: false, into: &found)
    }

    private func judgeStoppedOutside(
        _ raw: Reading, _ tracked: inout TrackedFence, into found: inout [Finding]
    ) {
        if !wasStopped, !raw.isInside { pass(raw, &tracked, into: &found) }
        tracked.state.insideRun = nil
        if tracked.fence.arrival == .eager {
            guard raw.isInside, stop?.settled?.isLatched != true else { return }
            enter(&tracked, evidence("eager", raw), raw, beforeStop: true, into: &found)
            return
        }
        guard let settled = stop?.settled, !settled.isLatched else { return }
        let mean = steadyReading(of: tracked.prepared.shape, raw)
        let share = tracked.fence.arrival == .strict ? 1 : rules.settledArrivalShare
        guard mean.signedDistanceMeters >= share * mean.accuracyMeters else { return }
        let proof = evidence(
            "stationary_mean", mean, confirmations: settled.count, spanSeconds: stop?.seconds ?? 0)
        enter(&tracked, proof, mean, beforeStop: true, into: &found)
    }

    private func extended(
        _ run: InsideRun?, _ crossings: CrossingMemory, notBefore boundary: Moment?,
        by raw: Reading
    ) -> InsideRun {
        var result =
            run
            ?? InsideRun(
                all: FixRun(count: 0, since: now),
                entry: crossings.last(
                    inward: true, beforeStop: false, notBefore: boundary),
                first: moment, travelledMeters: travelledMeters)
        result.all = .extending(run?.all, at: now)
        result.distanceSum += raw.signedDistanceMeters
        result.accuracySum += raw.accuracyMeters
        guard let speed else { return result }
        if speed >= rules.fastSpeed { result.fast = .extending(result.fast, at: now) }
        if speed > rules.passInsideSpeed { result.isDrivingThrough = true }
        return result
    }

    /// What proves an arrival in motion; nil: not yet.
    private func arrivalInMotion(
        _ raw: Reading, _ run: InsideRun, _ arrival: Fence.Arrival
    ) -> Evidence? {
        if raw.isDecisive { return evidence("decisive", raw) }
        switch arrival {
        case .eager: return evidence("eager", raw)
        case .strict: return nil
        case .balanced: break
        }
        if let speed, speed >= rules.fastSpeed {
            guard let fast = run.fast, fast.count >= rules.fastCount,
                fast.spanSeconds(at: now) >= rules.fastSpanSeconds
            else { return nil }
            return evidence(
                "fast_repeated", raw, confirmations: fast.count,
                spanSeconds: fast.spanSeconds(at: now))
        }
        let span = run.all.spanSeconds(at: now)
        guard run.all.count >= rules.slowCount, span >= rules.slowSpanSeconds,
            run.distanceSum >= rules.slowShare * run.accuracySum
        else { return nil }
        return evidence("slow_mean", raw, confirmations: run.all.count, spanSeconds: span)
    }

    private func enter(
        _ tracked: inout TrackedFence, _ proof: Evidence, _ reading: Reading, beforeStop: Bool,
        into found: inout [Finding]
    ) {
        let crossing = tracked.state.crossings.last(
            inward: true, beforeStop: beforeStop, notBefore: tracked.state.lastBoundary)
        let when = occurrence(
            crossing, fallbackUncertainty: beforeStop ? stop?.seconds : nil)
        arrive(
            &tracked, transition(.enter, of: tracked, when, proof), isDecisive: reading.isDecisive,
            into: &found)
    }

    /// Makes the fence an inside one; a dwell that is already due follows at once.
    func arrive(
        _ tracked: inout TrackedFence, _ enter: Transition, isDecisive: Bool = true,
        into found: inout [Finding]
    ) {
        found.append(
            Finding(
                transition: enter, rank: .enter, areaSquareMeters: tracked.areaSquareMeters))
        tracked.state.presence = .inside
        tracked.state.since = enter.occurred
        tracked.state.lastBoundary = enter.occurred
        tracked.state.insideRun = nil
        tracked.state.exitRun = nil
        tracked.state.visit = Visit(
            entered: enter.occurred, detected: moment, isDecisive: isDecisive)
        dwellIfDue(&tracked, enter.evidence, into: &found)
    }
}
