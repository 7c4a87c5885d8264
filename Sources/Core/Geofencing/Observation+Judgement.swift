import Geodesy
import Positioning

/// The rows of the state table, entry point: one fix against one fence.
extension Observation {
    func judge(_ tracked: inout TrackedFence, into found: inout [Finding]) {
        guard fix.verdict == .ok else {
            judgeCoarse(&tracked, into: &found)
            return
        }
        let raw = Reading(
            signedDistanceMeters: tracked.prepared.signedDistance(to: point),
            accuracyMeters: accuracyMeters)
        noteSide(raw, of: &tracked)
        if tracked.state.awaitsJudgement || tracked.state.presence == .unknown {
            settle(raw, &tracked, into: &found)
        } else if tracked.state.presence == .outside {
            judgeOutside(raw, &tracked, into: &found)
        } else {
            judgeInside(raw, &tracked, into: &found)
        }
        if stop == nil {
            tracked.state.crossings.confirmInMotion(isInside: raw.isInside)
            tracked.state.motions = motions + 1
        }
        tracked.state.signedDistanceMeters = raw.signedDistanceMeters
        tracked.state.travelledMeters = travelledMeters
        tracked.state.isOnInside = raw.isInside
    }

    /// A fix of 100 to 300 m proves nothing but a departure.
    private func judgeCoarse(_ tracked: inout TrackedFence, into found: inout [Finding]) {
        guard tracked.state.presence == .inside, !tracked.state.awaitsJudgement else { return }
        leave(reading(of: tracked.prepared.shape), steady: nil, &tracked, into: &found)
    }

    /// Keeps the moment at which the track changes sides.
    ///
    /// What was crossed before an outage says nothing about a place elsewhere after it, unless the
    /// outage was no longer than a gap between two fixes may be, as that of a restart is.
    private func noteSide(_ raw: Reading, of tracked: inout TrackedFence) {
        tracked.state.catchUp(motions: motions, breaks: breaks)
        guard let wasInside = tracked.state.isOnInside, wasInside != raw.isInside else { return }
        if isResumed {
            // The last fix that was persisted may be older than the last one that was seen: the
            // crossing lies somewhere after it, and a process that is started at once misses
            // nothing but its end.
            tracked.state.crossings.record(
                Crossing(
                    isInward: raw.isInside, moment: moment, uncertaintySeconds: gapSeconds),
                atRest: stop != nil)
            return
        }
        guard isClose,
            let crossing = crossing(
                inward: raw.isInside, distanceMeters: raw.signedDistanceMeters,
                of: tracked.prepared.shape)
        else {
            tracked.state.crossings.removeAll()
            return
        }
        tracked.state.crossings.record(crossing, atRest: wasStopped && stop != nil)
    }

    /// Where the way from the fix before crosses the boundary for good.
    private func crossing(
        inward: Bool, distanceMeters: Double, of shape: PreparedShape
    ) -> Crossing? {
        guard let previous, let start = previous.fix.coordinate else { return nil }
        let before = shape.signedDistance(to: start)
        let way = shape.crossings(from: start, to: point.coordinate)
        let change = distanceMeters - before
        // A way that begins or ends on the boundary itself has no crossing within.
        let touch = change == 0 ? 1 : min(max(-before / change, 0), 1)
        let share = (inward ? way.lastEntry : way.lastExit) ?? touch
        let closing = abs(change) / max(gapSeconds, 0.001)
        let accuracy = max(previous.accuracyMeters, accuracyMeters)
        return Crossing(
            isInward: inward,
            moment: Moment(previous.fix).interpolated(to: moment, fraction: share),
            uncertaintySeconds: accuracy / max(closing, 0.1))
    }
}

extension Observation {
    /// The evidence that a reading gives.
    func evidence(
        _ rule: String, _ reading: Reading, confirmations: Int = 1, spanSeconds: Double = 0,
        chord: Evidence.Chord? = nil
    ) -> Evidence {
        Evidence(
            rule: rule, signedDistanceMeters: reading.signedDistanceMeters,
            accuracyMeters: reading.accuracyMeters, confirmations: confirmations,
            spanSeconds: spanSeconds, gapSeconds: outage?.gapSeconds, isStationary: stop != nil,
            chord: chord)
    }

    /// When something occurred that this fix confirms: at its crossing, else now.
    func occurrence(_ crossing: Crossing?, fallbackUncertainty: Double? = nil) -> Occurrence {
        guard let crossing else {
            return Occurrence(
                moment: moment, uncertaintySeconds: fallbackUncertainty ?? gapSeconds)
        }
        return Occurrence(
            moment: crossing.moment, uncertaintySeconds: crossing.uncertaintySeconds)
    }

    struct Occurrence: Sendable {
        var moment: Moment
        var uncertaintySeconds: Double
    }

    /// A transition of the fence that this fix confirms.
    func transition(
        _ kind: Transition.Kind, of tracked: TrackedFence, _ occurrence: Occurrence,
        _ evidence: Evidence
    ) -> Transition {
        Transition(
            kind: kind, fenceID: tracked.fence.id, fenceVersion: tracked.fence.version,
            occurred: occurrence.moment,
            occurredUncertaintySeconds: max(0, occurrence.uncertaintySeconds), detected: moment,
            evidence: evidence, fix: fix.fix,
            isReported: tracked.fence.transitions.contains(kind))
    }
}
