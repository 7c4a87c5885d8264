import Positioning
import Timekeeping

/// How visits end when their fence does, rather than by a fix.
struct VisitClosing {
    let now: Moment
    /// The last accepted fix.
    let last: FilteredFix?
    /// Uptimes of the visit are on the scale of another boot.
    let isScaleForeign: Bool

    /// Ends the visit of a fence that is no more; nothing where there is none.
    func close(
        _ tracked: inout TrackedFence, _ reason: Transition.Reason, into found: inout [Finding]
    ) {
        guard tracked.state.presence == .inside, let visit = tracked.state.visit else { return }
        var exit = exit(of: tracked.fence.id, version: tracked.fence.version, visit, reason)
        exit.isReported = tracked.fence.transitions.contains(.exit)
        exit.evidence.signedDistanceMeters = tracked.state.signedDistanceMeters
        found.append(
            Finding(transition: exit, rank: .exit, areaSquareMeters: tracked.areaSquareMeters))
        tracked.state.leave(at: now)
    }

    /// The same for a fence that went while the program did not run.
    func close(
        _ record: FenceRecord, _ reason: Transition.Reason, into found: inout [Finding]
    ) {
        guard record.presence == .inside, let visit = record.visit else { return }
        let exit = exit(of: record.id, version: record.version, visit, reason)
        found.append(Finding(transition: exit, rank: .exit, areaSquareMeters: 0))
    }

    /// The same for one that the process before was inside of.
    func close(
        _ kept: KeptFence, _ reason: Transition.Reason, into found: inout [Finding]
    ) {
        guard let visit = kept.state.visit else { return }
        let exit = exit(of: kept.id, version: kept.version, visit, reason)
        found.append(Finding(transition: exit, rank: .exit, areaSquareMeters: 0))
    }

    private func exit(
        of id: String, version: Int, _ visit: Visit, _ reason: Transition.Reason
    ) -> Transition {
        let isKnown = !visit.isSuspect && !isScaleForeign
        return Transition(
            kind: .exit, fenceID: id, fenceVersion: version, occurred: now, detected: now,
            reason: reason,
            evidence: Evidence(
                rule: reason.rawValue, accuracyMeters: last?.accuracyMeters, confirmations: 0),
            fix: last?.fix ?? Fix(uptime: now.uptime ?? Uptime(milliseconds: 0), source: .fixed),
            durationSeconds: isKnown ? now.seconds(since: visit.entered) : nil,
            endsVisit: visit.hasDwelled, isClockSuspect: !isKnown)
    }
}
