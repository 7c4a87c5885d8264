import Timekeeping

/// A 200 that is ours: complete, readable, and for the batch that was sent.
public struct Receipt: Hashable, Sendable {
    /// By client event id; an event without a result stays queued.
    public var results: [String: Result]
    public var serverTime: UTCTime?
    public var configRevision: Int?

    public init(
        results: [String: Result], serverTime: UTCTime? = nil, configRevision: Int? = nil
    ) {
        self.results = results
        self.serverTime = serverTime
        self.configRevision = configRevision
    }

    /// What the server says about one event.
    public struct Result: Hashable, Sendable {
        public var status: Status
        /// The server's word on a notification; nil: none.
        public var notificationVerdict: String?

        public init(_ status: Status, notificationVerdict: String? = nil) {
            self.status = status
            self.notificationVerdict = notificationVerdict
        }
    }

    public enum Status: Hashable, Sendable {
        /// Stored now.
        case accepted
        /// Stored before; as good as `accepted`.
        case duplicate
        /// Will never be taken.
        case rejected(code: String)
        /// Not now; nil: the server does not say for how long.
        case deferred(retryAfterSeconds: Double?)
    }
}
