import Delivery

/// The row `counters`: what `QueueCounts` shows, and what bounds the kept rows.
struct Counters: Hashable, Sendable {
    var enqueued: Int64 = 0
    var acknowledged: Int64 = 0
    var pending: Int64 = 0
    var dead: Int64 = 0
    var evicted: Int64 = 0
    /// Acknowledged rows that still exist.
    var keptAcknowledged: Int64 = 0
    /// Payload bytes of dead rows that still exist.
    var deadBytes: Int64 = 0

    var isBalanced: Bool { enqueued == acknowledged + pending + dead + evicted }
}
