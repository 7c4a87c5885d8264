/// How much the queue may hold.
public struct StorageLimits: Hashable, Sendable {
    /// The database without its log, bytes; at least 256 KiB.
    public var maxBytes: Int64
    /// Held back for the moment when the disk is full; 0: none.
    public var ballastBytes: Int64
    /// Positions that the device keeps for itself, bytes; 0: none are kept. Never more than what the
    /// events leave of `maxBytes`.
    public var breadcrumbBytes: Int64

    public init(
        maxBytes: Int64 = 67_108_864, ballastBytes: Int64 = 1_048_576, breadcrumbBytes: Int64 = 0
    ) {
        self.maxBytes = max(maxBytes, 262_144)
        self.ballastBytes = max(ballastBytes, 0)
        self.breadcrumbBytes = max(breadcrumbBytes, 0)
    }

    static let pageSize = 1024
    /// Pages of log after which SQLite copies it into the database.
    static let checkpointPages = 512
    static let logBytes = 1_048_576
    /// What the log has grown to when it is copied, bytes: a header, and 24 bytes more than its page
    /// for each frame (sqlite.org/fileformat2.html section 4.1), with a quarter for the last commit.
    static let fullLogBytes = Int64(32 + checkpointPages * 5 / 4 * (pageSize + 24))
    /// The unit in which SQLite makes sure of room for the index of the log, bytes (os_unix.c).
    static let indexPage: UInt = 4096
    /// Free room with which a database is opened where blocks are smaller: the index has 32 KiB, and
    /// others may write meanwhile.
    static let indexRoomBytes: Int64 = 262_144
    /// Acknowledged events that are kept for `events` and `explain`.
    static let keptAcknowledged: Int64 = 1000
    /// How far their number grows before the oldest are deleted in one go.
    static let keptSlack: Int64 = 128
    /// Dead letters that are kept for a person to look at, bytes of payload; beyond, the oldest go.
    static let deadLetterBytes: Int64 = 1_048_576
    /// Boots whose clock anchor is kept.
    static let clockAnchors = 16
    /// Events in memory while the disk takes none.
    static let memoryEvents: Int64 = 256
    /// Pending events of the disk that are offered from memory while it is read-only.
    static let carriedEvents = 1024
    /// Events that were offered in that way, have arrived, and are remembered for the disk.
    static let deliveredEvents = 131_072
    /// How long a disk that is writable again is told of these, seconds; the rest is sent again.
    static let returnSeconds = 2.0
    /// How often a failed storage is tried again, seconds.
    static let reopenSeconds = 60.0
    /// How long a stop makes room on a full disk for what is in memory, seconds: the request that was
    /// under way may have taken five of the six that a stop has.
    static let closingSeconds = 0.5
    /// Damaged files that are kept.
    static let quarantines = 2
    /// Waiting for another process (a reader's checkpoint), milliseconds.
    static let busyMilliseconds: Int32 = 5000
    /// Part of `maxBytes` at which eviction starts, and to which it goes down.
    static let evictionStart = 15.0 / 16
    static let evictionGoal = 7.0 / 8
    /// A file system with less than this free does not get a growing file, bytes; on a small one
    /// 2 % of it.
    static let freeBytes: Int64 = 8_388_608
    static let freePart = 0.02
}
