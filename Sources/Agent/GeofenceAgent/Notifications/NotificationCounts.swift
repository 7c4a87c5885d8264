import Campaigns

/// Decisions since the start, for `status`.
struct NotificationCounts: Sendable {
    private(set) var shown = 0
    /// By reason.
    private(set) var suppressed: [String: Int] = [:]
    /// Decisions of which the server thinks otherwise.
    var disagreements = 0

    mutating func add(_ decision: NotificationDecision) {
        switch decision.outcome {
        case .shown: shown += 1
        case .suppressed: suppressed[decision.reason ?? "", default: 0] += 1
        case .none: break
        }
    }
}
