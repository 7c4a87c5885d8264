/// What `geofenced queue flush` says to a person.
extension FlushReport {
    /// What became of the events, on standard output.
    public var summary: String {
        var parts = ["\(acknowledged) sent", "\(pending) left"]
        if dead > 0 { parts.insert("\(dead) refused for good", at: 1) }
        return parts.joined(separator: ", ")
    }

    /// What standard error says: why it ended before nothing was left, and where the events are that
    /// were refused for good.
    public var remarks: [String] {
        [remark, dead > 0 ? "the server refused events for good, see `geofenced queue dead`" : nil]
            .compactMap(\.self)
    }

    private var remark: String? {
        let detail = reason.map { ": \($0)" } ?? ""
        return switch end {
        case .empty: nil
        case .failed: "server \(server)\(detail)"
        case .deferred: "what is left goes later\(detail)"
        case .timeout: "the time is over\(detail)"
        case .handedOver: "the agent has started: it sends by itself"
        case .storage: "storage\(detail)"
        }
    }

    /// What a script that waits for the delivery has to know.
    public var outcome: Outcome {
        switch end {
        case .empty, .handedOver: dead > 0 ? .refused : .sent
        case .failed, .deferred, .timeout, .storage: .left
        }
    }

    public enum Outcome: Hashable, Sendable {
        /// Nothing is left, or an agent has it.
        case sent
        /// As `sent`, but for events that the server does not have, and will not get.
        case refused
        /// Something is left.
        case left
    }
}
