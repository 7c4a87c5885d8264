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
    /// By first receipt, the latest ones.
    public var epochs: [Epoch]
    /// Whether it has detected something at a time that cannot be (`TimeFlag`).
    public var hasOddTimes = false

    /// The events of one queue of the device.
    public struct Epoch: Hashable, Sendable {
        public var epoch: String
        public var firstSeenAt: UTCTime
        public var events: Int64
        /// The least that is kept; 0: none is.
        public var firstSequence: Int64
        /// The greatest that has come.
        public var lastSequence: Int64
        /// Numbers that two events have claimed, as of a cloned card; found once, it stays.
        public var conflicts: Int64
        /// Events that came and have been kept for long enough.
        public var deleted: Int64
        /// When it was noticed that another device goes under the same name; nil: it was not.
        public var interleavedSince: UTCTime?
        /// Numbers up to the last one that have not come, those told as evicted included.
        public var missing: Int64 { max(0, lastSequence - deleted - (events - conflicts)) }
    }

    /// What somebody has to look at.
    public var alarms: [Alarm] {
        var alarms: [Alarm] = []
        if epochs.contains(where: { $0.interleavedSince != nil }) {
            alarms.append(.interleavedEpochs)
        }
        if epochs.contains(where: { $0.conflicts > 0 }) { alarms.append(.conflicts) }
        if epochs.contains(where: { $0.missing > 0 }) { alarms.append(.missing) }
        if hasOddTimes { alarms.append(.oddTimes) }
        return alarms
    }

    /// Raw values are the words of the wire.
    public enum Alarm: String, Hashable, Sendable {
        /// Two queues at the same time: a copied card, or an id that was given twice.
        case interleavedEpochs = "interleaved_epochs"
        /// One number of one queue for two events: a copied card, or a restored backup.
        case conflicts = "sequence_conflicts"
        /// Some have not come (yet), or were evicted on the device.
        case missing = "missing_events"
        /// It detected something long after its last receipt, or long before an epoch's first one.
        case oddTimes = "odd_times"
    }
}

/// Which devices are asked for.
public struct DeviceFilter: Hashable, Sendable {
    /// Those whose last event about this fence left them in it; nil: all.
    public var insideFence: String?
    /// Only those with interleaved epochs.
    public var isInterleaved = false

    public init() {}
}

/// What a workspace has used of its limits.
public struct Usage: Hashable, Sendable {
    public var fences: Int
    public var keys: Int
    public var devices: Int
    /// Accepted in the calendar month of now, UTC.
    public var eventsThisMonth: Int
}
