import Timekeeping

/// A device as the server answers it.
public struct StoredDevice: Hashable, Sendable {
    public var id: String
    public var userID: String?
    public var agent: String?
    public var firstSeenAt: UTCTime
    public var lastSeenAt: UTCTime
    public var pending: Int64?
    public var dead: Int64?
    /// The last heartbeat, a JSON object.
    public var heartbeat: [UInt8]?
    public var heartbeatAt: UTCTime?
    /// By which fences can be for it.
    public var tags: [String]
    /// Ids of the fences in which its last event left it.
    public var insideFences: [String]
    /// By first receipt.
    public var epochs: [Epoch]

    /// The events of one queue of the device.
    public struct Epoch: Hashable, Sendable {
        public var epoch: String
        public var firstSeenAt: UTCTime
        public var events: Int64
        public var firstSequence: Int64
        public var lastSequence: Int64
        /// Numbers that two events claim, as of a cloned card.
        public var conflicts: Int64
        /// Numbers up to the last one that have not come, those told as evicted included.
        public var missing: Int64 { max(0, lastSequence - (events - conflicts)) }
    }
}

/// What a workspace has used of its limits.
public struct Usage: Hashable, Sendable {
    public var fences: Int
    public var keys: Int
    public var devices: Int
    /// Accepted in the calendar month of now, UTC.
    public var eventsThisMonth: Int
}
