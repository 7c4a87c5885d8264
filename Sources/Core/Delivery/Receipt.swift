import Campaigns

/// A 200 that is ours: complete, readable, and for the batch that was sent.
public struct Receipt: Hashable, Sendable {
    /// By client event id; an event without a result stays queued.
    public var results: [String: Result]
    /// Whether there was a result of a status that this version does not know.
    public var hasUnknownResults: Bool
    public var configRevision: Int?

    public init(
        results: [String: Result], hasUnknownResults: Bool = false, configRevision: Int? = nil
    ) {
        self.results = results
        self.hasUnknownResults = hasUnknownResults
        self.configRevision = configRevision
    }

    /// Whether it says nothing about any event.
    public var namesNoEvent: Bool { results.isEmpty && !hasUnknownResults }

    /// What the server says about one event.
    public struct Result: Hashable, Sendable {
        public var status: Status
        /// What the server says of the event's notification; nil: nothing that is known here.
        public var verdict: NotificationVerdict?

        public init(_ status: Status, verdict: NotificationVerdict? = nil) {
            self.status = status
            self.verdict = verdict
        }
    }

    public enum Status: Hashable, Sendable {
        /// Stored now.
        case accepted
        /// Stored before; as good as `accepted`.
        case duplicate
        /// Will never be taken.
        case rejected(code: String)
        /// Not now; nil: the server does not say for how long, or why (`trial_over`).
        case deferred(retryAfterSeconds: Double?, code: String? = nil)
    }
}
