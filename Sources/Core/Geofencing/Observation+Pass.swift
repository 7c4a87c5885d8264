import Geodesy
import Positioning

/// A drive-through that no arrival told of.
extension Observation {
    /// The fix lies outside. Was the fence crossed since the last fix outside?
    func pass(_ raw: Reading, _ tracked: inout TrackedFence, into found: inout [Finding]) {
        let policy = tracked.prepared.fence.passAs ?? rules.passAs
        guard policy != .ignore, isClose,
            tracked.state.insideRun != nil || -raw.signedDistanceMeters <= movedMeters,
            let crossed = crossed(
                raw, run: tracked.state.insideRun, tracked.state.crossings,
                wasInside: tracked.state.isOnInside == true, tracked.prepared)
        else { return }
        let when = Occurrence(
            moment: crossed.chord.entered, uncertaintySeconds: crossed.uncertaintySeconds)
        let proof = evidence(
            crossed.rule, raw, confirmations: crossed.confirmations,
            spanSeconds: crossed.chord.left.seconds(since: crossed.chord.entered) ?? 0,
            chord: crossed.chord)
        tracked.state.lastBoundary = crossed.chord.left
        guard policy == .enterExit else {
            append(transition(.pass, of: tracked, when, proof), tracked, to: &found)
            return
        }
        var exit = transition(
            .exit, of: tracked,
            Occurrence(
                moment: crossed.chord.left, uncertaintySeconds: crossed.uncertaintySeconds), proof)
        exit.durationSeconds = crossed.chord.left.seconds(since: crossed.chord.entered)
        append(transition(.enter, of: tracked, when, proof), tracked, to: &found)
        append(exit, tracked, to: &found)
    }

    /// Both halves of a pass told as enter and exit keep the place of the pass in the order.
    private func append(
        _ transition: Transition, _ tracked: TrackedFence, to found: inout [Finding]
    ) {
        found.append(
            Finding(
                transition: transition, rank: .pass, areaSquareMeters: tracked.areaSquareMeters))
    }

    private struct Crossed {
        var rule: String
        var chord: Evidence.Chord
        var confirmations: Int
        var uncertaintySeconds: Double
    }

    private func crossed(
        _ raw: Reading, run: InsideRun?, _ crossings: CrossingMemory, wasInside: Bool,
        _ prepared: PreparedFence
    ) -> Crossed? {
        if let run { return crossed(run, crossings) }
        return wasInside ? nil : crossedBetweenFixes(raw, prepared.shape)
    }

    /// One or more fixes inside that were not decisive, at driving speed, then this one outside.
    private func crossed(_ run: InsideRun, _ crossings: CrossingMemory) -> Crossed? {
        guard run.isDrivingThrough else { return nil }
        let exit = crossings.last(
            inward: false, beforeStop: false, notBefore: run.first)
        let entered = run.entry?.moment ?? run.first
        let left = exit?.moment ?? moment
        let inside = travelledMeters - run.travelledMeters
        let speed = speed ?? inside / max(gapSeconds, 0.001)
        let seconds = left.seconds(since: entered) ?? 0
        return Crossed(
            rule: "pass_inside",
            chord: .init(entered: entered, left: left, lengthMeters: speed * seconds),
            confirmations: run.all.count + 1,
            uncertaintySeconds: run.entry?.uncertaintySeconds ?? gapSeconds)
    }

    /// Both fixes outside, and the way between them runs through the fence.
    private func crossedBetweenFixes(_ raw: Reading, _ shape: PreparedShape) -> Crossed? {
        guard let previous, let start = previous.fix.coordinate, previous.verdict == .ok,
            gapSeconds > 0, -raw.signedDistanceMeters <= movedMeters,
            previous.accuracyMeters <= rules.passMaxAccuracyMeters,
            accuracyMeters <= rules.passMaxAccuracyMeters
        else { return nil }
        let speed = meanSpeed(previous)
        guard speed > rules.passMinSpeed,
            movedMeters >= rules.passChordShare * speed * gapSeconds
        else { return nil }
        let way = shape.crossings(from: start, to: point.coordinate)
        guard let first = way.parts.first, let last = way.parts.last, way.chordMeters > 0,
            first.lowerBound > 0, last.upperBound < 1
        else { return nil }
        let begin = Moment(previous.fix)
        return Crossed(
            rule: "pass_between_fixes",
            chord: .init(
                entered: begin.interpolated(to: moment, fraction: first.lowerBound),
                left: begin.interpolated(to: moment, fraction: last.upperBound),
                lengthMeters: way.chordMeters),
            confirmations: 2,
            uncertaintySeconds: max(previous.accuracyMeters, accuracyMeters) / speed)
    }

    private func meanSpeed(_ previous: FilteredFix) -> Double {
        switch (previous.fix.speed, fix.fix.speed) {
        case (let before?, let now?): (before + now) / 2
        case (let only?, nil), (nil, let only?): only
        case (nil, nil): movedMeters / gapSeconds
        }
    }
}
