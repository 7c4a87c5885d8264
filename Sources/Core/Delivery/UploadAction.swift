import Campaigns
import Timekeeping

/// What the uploader does next.
public enum UploadAction: Hashable, Sendable {
    /// Nothing before then, unless something is committed or the network changes.
    case wait(until: Uptime)
    /// Nothing to send.
    case idle
    case send(BatchPlan)
    /// Send the clock anchors in a batch of this id, without events.
    case sendAnchors(batchID: String)
    /// Say how the device is.
    case heartbeat
}

/// Which events the next request takes.
public struct BatchPlan: Hashable, Sendable {
    public var batchID: String
    public var selection: BatchSelection

    public init(batchID: String, selection: BatchSelection) {
        self.batchID = batchID
        self.selection = selection
    }
}

/// A choice among the pending events.
public enum BatchSelection: Hashable, Sendable {
    /// The oldest, at most `limit` and `maxBytes` of payload (but at least one), without the keys
    /// in `excluding`.
    case oldest(limit: Int, maxBytes: Int, excluding: KeySet)
    /// These, as far as they are still pending.
    case keys([Int64])
}

/// What a finished request means for the queue and the agent.
public struct UploadConclusion: Hashable, Sendable {
    /// To be written before the next step.
    public var settlements: [Settlement]
    public var configRevision: Int?
    /// Whether the server has kept the clock anchors of the batch.
    public var hasAnchors: Bool
    /// What the server says of the notifications of received events, by key.
    public var verdicts: [Int64: NotificationVerdict] = [:]

    public init(
        settlements: [Settlement] = [], configRevision: Int? = nil, hasAnchors: Bool = false
    ) {
        self.settlements = settlements
        self.configRevision = configRevision
        self.hasAnchors = hasAnchors
    }
}
