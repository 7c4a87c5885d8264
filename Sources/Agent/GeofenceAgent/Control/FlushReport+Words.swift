/// What `geofenced queue flush` says to a person.
extension FlushReport {
    /// What became of the events, on standard output.
    public var summary: String {
        var parts = ["\(acknowledged) sent", "\(pending) left"]
        if dead > 0 { parts.insert("\(dead) refused for good", at: 1) }
        return parts.joined(separator: ", ")
    }

    /// Why it ended before nothing was left, on standard error; nil: nothing is left.
    public var remark: String? {
        let detail = reason.map { ": \($0)" } ?? ""
        return switch end {
        case .empty: nil
        case .failed: "server \(server)\(detail)"
        case .deferred:
            reason.map { "what is left goes later: \($0)" }
                ?? "the server wants what is left later"
        case .timeout: "the time is over\(detail)"
        case .handedOver: "the agent has started: it sends by itself"
        case .storage: "storage\(detail)"
        }
    }

    /// Whether a script that waits for the delivery may go on: nothing is left, or an agent has it.
    public var isSuccess: Bool { end == .empty || end == .handedOver }
}
