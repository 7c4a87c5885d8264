import Geofencing

/// Raw values are `type` on the wire.
public enum EventKind: String, Hashable, Sendable, CaseIterable {
    case enter
    case exit
    case dwell
    case pass
    case visitStarted = "visit_started"
    case visitEnded = "visit_ended"
    case coverageLost = "coverage_lost"
    case coverageRestored = "coverage_restored"
    case queueEvicted = "queue_evicted"
    case stateReset = "state_reset"
    case moved

    public init(_ kind: Transition.Kind) {
        switch kind {
        case .enter: self = .enter
        case .exit: self = .exit
        case .dwell: self = .dwell
        case .pass: self = .pass
        }
    }
}
