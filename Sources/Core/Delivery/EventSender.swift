import Timekeeping

/// Takes a batch to the server. Blocks; call it off the cooperative pool.
public protocol EventSender: Sendable {
    func send(_ batch: OutgoingBatch) -> SendOutcome
}

/// One request to the server.
public struct OutgoingBatch: Hashable, Sendable {
    /// Made for this one request, so that no other answer can be taken for its receipt.
    public var batchID: String
    /// Empty: the batch brings clock anchors alone.
    public var events: [QueuedEvent]
    public var counts: QueueCounts
    public var clockAnchors: [ClockAnchor]

    public init(
        batchID: String, events: [QueuedEvent], counts: QueueCounts, clockAnchors: [ClockAnchor]
    ) {
        self.batchID = batchID
        self.events = events
        self.counts = counts
        self.clockAnchors = clockAnchors
    }
}

/// How one request ended, as far as the agent's behaviour depends on it.
public enum SendOutcome: Hashable, Sendable {
    /// The server's word, event by event.
    case receipt(Receipt)
    /// An answer with an error status.
    case refused(Refusal)
    /// No answer of our server: nothing was received, or something that is no receipt.
    case unreachable(ConnectivityState, reason: String)
    /// Stopped from this side; says nothing about network or server.
    case cancelled
}

/// An error answer of the server.
public struct Refusal: Hashable, Sendable {
    /// 400 ... 599
    public var status: Int
    /// Seconds of `Retry-After`, as the server gave them; nil: none, or not readable.
    public var retryAfterSeconds: Double?
    /// `code` of a problem document, for the journal; nil: there was none.
    public var reason: String?
    /// `detail` of a problem document, for `status`; nil: there was none.
    public var detail: String?

    public init(
        status: Int, retryAfterSeconds: Double? = nil, reason: String? = nil,
        detail: String? = nil
    ) {
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
        self.reason = reason
        self.detail = detail
    }

    /// "HTTP 401: key_unknown"
    public var words: String { "HTTP \(status)" + (reason.map { ": \($0)" } ?? "") }

    /// "HTTP 403: device_limit (1,000 devices are in use)"
    public var explanation: String { words + (detail.map { " (\($0))" } ?? "") }
}
