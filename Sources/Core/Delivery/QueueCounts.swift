import Timekeeping

/// How many events ever entered the queue, and through which of the three exits they left.
public struct QueueCounts: Hashable, Sendable {
    public var enqueued: Int64
    public var acknowledged: Int64
    public var pending: Int64
    public var dead: Int64
    public var evicted: Int64
    /// When the oldest pending event was made, by the wall clock; nil: none is pending.
    public var oldest: UTCTime?

    public init(
        enqueued: Int64 = 0, acknowledged: Int64 = 0, pending: Int64 = 0, dead: Int64 = 0,
        evicted: Int64 = 0, oldest: UTCTime? = nil
    ) {
        self.enqueued = enqueued
        self.acknowledged = acknowledged
        self.pending = pending
        self.dead = dead
        self.evicted = evicted
        self.oldest = oldest
    }

    /// The invariant: no event leaves but by receipt, dead letter or eviction.
    public var isBalanced: Bool { enqueued == acknowledged + pending + dead + evicted }
}
