import Timekeeping

/// A notification that was allowed; cooldowns and caps count from it.
public struct StoredClaim: Hashable, Sendable {
    /// The receipt of its event.
    public var receipt: Int64
    public var fenceID: String
    public var campaignID: String
    public var occurredAt: UTCTime
}
