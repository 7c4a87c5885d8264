import Delivery
import SQLite

/// A backlog on the disk that is longer than what is carried over at once.
extension MemoryFallback {
    /// Whether half of what is carried over at once has been settled, and no event waits that is nowhere
    /// but in memory: the backlog is safe where it is.
    var hasRoomForMore: Bool {
        delivered.count < StorageLimits.deliveredEvents && ownPending == 0
            && carriedPending <= StorageLimits.carriedEvents / 2
    }

    private var carriedPending: Int {
        let count = try? store.connection.first(
            "SELECT count(*) FROM events WHERE status = 0 AND epoch IS NOT NULL",
            read: { $0.int(0) })
        return (count ?? nil) ?? StorageLimits.carriedEvents
    }

    /// Carries over the next pending events of the disk, as the file was when memory took over; answers
    /// how many. What has come into the file since is known here under other numbers: a commit that
    /// failed when it was in the log, or a file that took the place of a damaged one.
    mutating func carryMore(from disk: QueueRows) throws(SQLiteError) -> Int {
        guard let diskPosition, try disk.meta("epoch") == diskPosition.epoch else { return 0 }
        try forgetDelivered()
        let limit = StorageLimits.carriedEvents - carriedPending
        // Dead letters stay in memory until they are handed back.
        guard limit > 0, carried.count < 2 * StorageLimits.carriedEvents else { return 0 }
        return try carryEvents(
            from: disk, epoch: diskPosition.epoch, atMost: limit, upTo: diskPosition.sequence)
    }

    /// Keeps of what has arrived only the key.
    private mutating func forgetDelivered() throws(SQLiteError) {
        var arrived: [Int64] = []
        for key in carried.keys.sorted() {
            let row = try store.rows.event(key, epoch: store.epoch)
            if row == nil || row?.event?.status == .acknowledged { arrived.append(key) }
        }
        var counters = store.counters
        let connection = store.connection
        try connection.transaction { () throws(SQLiteError) in
            for key in arrived {
                try connection.run("DELETE FROM events WHERE key = ?", key)
                counters.keptAcknowledged -= Int64(connection.changes)
            }
            try store.write(counters)
        }
        store.replaceCounters(counters)
        delivered += arrived.compactMap { carried.removeValue(forKey: $0)?.key }
    }

    /// Takes out what the file of `epoch` is to be told of `delivered`. It is told once: by the next
    /// time keys below zero may be those of other events. What it does not learn is sent again.
    mutating func takeDelivered(for epoch: String) -> [Settlement] {
        defer { delivered = [] }
        guard epoch == diskPosition?.epoch else { return [] }
        return delivered.map { Settlement(key: $0, fate: .acknowledged) }
    }
}
