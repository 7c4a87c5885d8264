/// Takes a heartbeat to the server. Blocks; call it off the cooperative pool.
public protocol HeartbeatSender: Sendable {
    /// `body` is a JSON object.
    func sendHeartbeat(_ body: [UInt8]) -> HeartbeatOutcome
}

/// How a heartbeat ended, as far as the agent's behaviour depends on it.
public enum HeartbeatOutcome: Hashable, Sendable {
    /// Our server took it, and said which revision of fences and configuration it has.
    case heard(configRevision: Int)
    /// An answer with an error status.
    case refused(Refusal)
    /// No answer of our server: nothing was received, or something else than its answer.
    case unreachable(ConnectivityState, reason: String)
    /// Stopped from this side; says nothing about network or server.
    case cancelled
}
