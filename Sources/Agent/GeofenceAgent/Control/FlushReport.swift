/// What `geofenced queue flush --json` prints, schema `geofenced.flush/1`.
public struct FlushReport: Codable, Sendable, Hashable {
    public var schema = "geofenced.flush/1"
    /// running | stopped: who uploaded.
    public var agent: Agent
    public var end: End
    /// Events that the server has received since the command was given.
    public var acknowledged: Int64
    /// Events that the server refused for good since then.
    public var dead: Int64
    /// Events that are left.
    public var pending: Int64
    /// A `ConnectivityState`, or `unknown`: no request was made.
    public var server: String
    /// Why events are left, in a sentence: refused events that are kept, or the last failure; nil:
    /// neither.
    public var reason: String?

    public enum Agent: String, Codable, Sendable {
        case running, stopped
    }

    /// How it ended.
    public enum End: String, Codable, Sendable, CaseIterable {
        /// Nothing is left.
        case empty
        /// The server cannot be reached, or refuses.
        case failed
        /// What is left goes later: the server wants it so, or has refused events that are kept for
        /// another offer, which `reason` says.
        case deferred
        /// The time was over.
        case timeout
        /// An agent has started and sends by itself.
        case handedOver = "handed_over"
        /// The storage failed.
        case storage
    }

    public init(
        agent: Agent, end: End, acknowledged: Int64, dead: Int64, pending: Int64, server: String,
        reason: String? = nil
    ) {
        self.agent = agent
        self.end = end
        self.acknowledged = acknowledged
        self.dead = dead
        self.pending = pending
        self.server = server
        self.reason = reason
    }
}
