import Positioning
import Timekeeping

/// Stationary hold: a kiosk or parked vehicle whose hint says that it stays may dwell unseen.
extension FenceTracker {
    /// The next moment at which something happens without a fix; nil: nothing will.
    public var nextDeadline: Uptime? {
        guard rules.holdsStationary, isHintedStationary, stop != nil, let previous else {
            return nil
        }
        // The first moment at which a fix would no longer be close.
        let lost = previous.fix.uptime.advanced(
            byMilliseconds: Visit.milliseconds(closeLimitSeconds) + 1)
        let due = monitored.compactMap { holdDue(fences[$0]) }.min()
        return due.map { max($0, lost) }
    }

    /// Takes in a hint, for instance that the ignition is off.
    public mutating func hint(stationary: Bool, at now: Uptime) -> [Transition] {
        let transitions = advance(to: now)
        isHintedStationary = stationary
        return transitions + advance(to: now)
    }

    /// Fires what is due by then, each thing dated at its own deadline.
    public mutating func advance(to now: Uptime) -> [Transition] {
        guard rules.holdsStationary else { return [] }
        var transitions: [Transition] = []
        while let deadline = nextDeadline, deadline <= now {
            let fired = hold(at: deadline)
            if fired.isEmpty { break }
            transitions += fired
        }
        return transitions
    }

    private func holdDue(_ tracked: TrackedFence) -> Uptime? {
        guard let visit = tracked.state.visit, visit.isDecisive, !tracked.state.awaitsJudgement
        else { return nil }
        return visit.dwellDue(after: tracked.prepared.fence.dwellSeconds)
    }

    private mutating func hold(at deadline: Uptime) -> [Transition] {
        guard let previous else { return [] }
        let passed = deadline.milliseconds - previous.fix.uptime.milliseconds
        let now = Moment(previous.fix).advanced(byMilliseconds: passed)
        var found: [Finding] = []
        for index in monitored {
            let tracked = fences[index]
            guard let visit = tracked.state.visit, let due = holdDue(tracked), due <= deadline,
                let seconds = tracked.fence.dwellSeconds
            else { continue }
            let occurred = visit.clockStart.advanced(
                byMilliseconds: Visit.milliseconds(seconds))
            let gap = Double(passed) / 1000
            var dwell = Transition(
                kind: .dwell, fenceID: tracked.fence.id, fenceVersion: tracked.fence.version,
                occurred: occurred, detected: now, isInferred: true,
                evidence: Evidence(
                    rule: "stationary_hold",
                    signedDistanceMeters: tracked.state.signedDistanceMeters,
                    accuracyMeters: previous.accuracyMeters,
                    gapSeconds: max(gap, visit.longestGapSeconds ?? 0), isStationary: true),
                fix: previous.fix, isReported: tracked.fence.transitions.contains(.dwell),
                isClockSuspect: visit.isSuspect)
            dwell.visitStart = visit.entered
            found.append(
                Finding(
                    transition: dwell, rank: .dwell, areaSquareMeters: tracked.areaSquareMeters))
            fences[index].state.visit?.hasDwelled = true
            fences[index].state.visit?.count(gapSeconds: gap)
        }
        if !found.isEmpty { isStateChanged = true }
        return Finding.ordered(found)
    }
}
