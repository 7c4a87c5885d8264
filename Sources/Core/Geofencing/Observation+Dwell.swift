import Geodesy
import Timekeeping

/// Dwell, and what an outage means for it.
extension Observation {
    /// Fires once per visit, on a fix that shows the device inside.
    func dwellIfDue(
        _ tracked: inout TrackedFence, _ proof: @autoclosure () -> Evidence,
        into found: inout [Finding]
    ) {
        guard let visit = tracked.state.visit,
            let due = visit.dwellDue(after: tracked.prepared.fence.dwellSeconds),
            due <= now
        else { return }
        appendDwell(&tracked, proof(), rank: .dwell, into: &found)
    }

    private func appendDwell(
        _ tracked: inout TrackedFence, _ proof: Evidence, rank: Finding.Rank,
        into found: inout [Finding]
    ) {
        guard let visit = tracked.state.visit, let seconds = tracked.fence.dwellSeconds else {
            return
        }
        var dwell = transition(
            .dwell, of: tracked,
            Occurrence(
                moment: visit.clockStart.advanced(byMilliseconds: Visit.milliseconds(seconds)),
                uncertaintySeconds: 0), proof)
        dwell.evidence.gapSeconds = visit.longestGapSeconds
        dwell.isInferred = visit.longestGapSeconds != nil
        dwell.isClockSuspect = visit.isSuspect
        dwell.visitStart = visit.entered
        // A departure that was crossed before and is confirmed later would end the visit before
        // its own dwell.
        if let last = tracked.state.lastBoundary, last.isBefore(dwell.occurred) {
            tracked.state.lastBoundary = dwell.occurred
        }
        found.append(
            Finding(
                transition: dwell, rank: rank, areaSquareMeters: tracked.areaSquareMeters))
        tracked.state.visit?.hasDwelled = true
    }

    /// The first good fix after an outage decides what the time without fixes was.
    func resume(
        after outage: Outage, _ reading: Reading, _ tracked: inout TrackedFence,
        into found: inout [Finding]
    ) {
        guard var visit = tracked.state.visit else { return }
        let isShown = reading.isShownInside
        if visit.isShown, isShown, outage.isSamePlace {
            visit.count(gapSeconds: outage.gapSeconds)
            tracked.state.visit = visit
        } else if isShown {
            resumeElsewhere(after: outage, reading, &tracked, into: &found)
        } else if visit.isShown, outage.isNearby,
            let due = visit.dwellDue(after: tracked.prepared.fence.dwellSeconds),
            due <= now
        {
            visit.count(gapSeconds: outage.gapSeconds)
            tracked.state.visit = visit
            appendDwell(&tracked, evidence("dwell_ramp", reading), rank: .exit, into: &found)
        } else {
            tracked.state.visit?.isClockStopped = true
        }
    }

    private func resumeElsewhere(
        after outage: Outage, _ reading: Reading, _ tracked: inout TrackedFence,
        into found: inout [Finding]
    ) {
        guard let visit = tracked.state.visit else { return }
        if outage.gapSeconds <= rules.dwellGapMaxSeconds {
            tracked.state.visit?.count(gapSeconds: outage.gapSeconds)
        } else if outage.gapSeconds <= rules.visitGapMaxSeconds {
            tracked.state.visit?.restartClock(at: moment)
        } else {
            let proof = evidence("gap", reading)
            depart(
                &tracked,
                Occurrence(
                    moment: visit.lastEvidence, uncertaintySeconds: outage.gapSeconds), proof,
                reason: .gap, into: &found)
            begin(&tracked, proof, reason: nil, into: &found)
        }
    }
}

extension Visit {
    /// When dwell is due; nil: never, not again, or not while the clock stands.
    func dwellDue(after dwellSeconds: Double?) -> Uptime? {
        guard !hasDwelled, !isClockStopped, let seconds = dwellSeconds,
            let start = clockStart.uptime
        else { return nil }
        return start.advanced(byMilliseconds: Self.milliseconds(seconds))
    }

    mutating func count(gapSeconds: Double) {
        longestGapSeconds = max(longestGapSeconds ?? 0, gapSeconds)
    }

    /// Clamped to 300 years.
    static func milliseconds(_ seconds: Double) -> Int64 {
        Int64((min(max(seconds, 0), 1e10) * 1000).rounded())
    }
}
