import Geofencing
import Positioning
import Timekeeping

/// Turns what the tracker and the coverage guard decided into events, visits included.
public struct EventRecorder: Hashable, Sendable {
    public var bootID: BootID

    public init(bootID: BootID) {
        self.bootID = bootID
    }

    /// The events of transitions in their order: a visit starts right after its dwell and ends
    /// right after its exit, also where the fence does not report these.
    public func drafts(
        for transitions: [Transition], wallClock: WallClockReading
    ) -> [EventDraft] {
        var drafts: [EventDraft] = []
        drafts.reserveCapacity(transitions.count)
        for transition in transitions {
            if transition.isReported { drafts.append(draft(transition, wallClock)) }
            if let visit = visitDraft(transition, wallClock) { drafts.append(visit) }
        }
        return drafts
    }

    /// A device event that rests on the fix before it, such as `coverage_lost`.
    public func draft(
        _ kind: EventKind, at moment: Moment, fix: Fix?, reason: String? = nil,
        wallClock: WallClockReading
    ) -> EventDraft {
        EventDraft(
            kind: kind, bootID: bootID, occurred: moment, detected: moment, wallClock: wallClock,
            timeQuality: timeQuality(fix, wallClock, isSuspect: false), reason: reason, fix: fix)
    }

    private func draft(_ transition: Transition, _ wallClock: WallClockReading) -> EventDraft {
        EventDraft(
            kind: EventKind(transition.kind), fenceID: transition.fenceID,
            fenceVersion: transition.fenceVersion, bootID: bootID, occurred: transition.occurred,
            occurredUncertaintySeconds: transition.occurredUncertaintySeconds,
            detected: transition.detected, wallClock: wallClock,
            timeQuality: timeQuality(
                transition.fix, wallClock, isSuspect: transition.isClockSuspect),
            isInitial: transition.isInitial, isInferred: transition.isInferred,
            reason: transition.reason?.rawValue, fix: transition.fix,
            evidence: transition.evidence, durationSeconds: transition.durationSeconds,
            endsVisit: transition.endsVisit, mayNotify: transition.mayNotify)
    }

    private func visitDraft(
        _ transition: Transition, _ wallClock: WallClockReading
    ) -> EventDraft? {
        switch transition.kind {
        case .dwell:
            var result = draft(transition, wallClock)
            result.kind = .visitStarted
            // The dwell makes the visit, which began with the enter: what is billed is from there.
            result.occurred = transition.visitStart ?? transition.occurred
            return result
        case .exit where transition.endsVisit:
            var result = draft(transition, wallClock)
            result.kind = .visitEnded
            return result
        case .enter, .exit, .pass: return nil
        }
    }

    private func timeQuality(
        _ fix: Fix?, _ wallClock: WallClockReading, isSuspect: Bool
    ) -> TimeQuality {
        if isSuspect { return .suspect }
        // No GNSS gave the time of a configured position.
        if fix?.source == .fixed {
            return wallClock.isSynchronised ? .disciplined : .monotonicOnly
        }
        if let fix, fix.time != nil { return fix.isTimeTrusted ? .gnss : .gnssUnconfirmed }
        return wallClock.isSynchronised ? .disciplined : .monotonicOnly
    }
}
