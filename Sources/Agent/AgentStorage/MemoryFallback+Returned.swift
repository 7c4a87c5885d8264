import SQLite

extension MemoryFallback {
    /// How much of which store in memory the disk has got.
    struct Returned {
        static let name = "returned"
        var epoch: String
        var enqueued: Int64
        var evicted: Int64
        /// Refused events, whether there is still a row of them or not.
        var dead: Int64
        /// The numbers of those that waited.
        var pending: [Int64]

        init(epoch: String, enqueued: Int64, evicted: Int64, dead: Int64, pending: [Int64]) {
            self.epoch = epoch
            self.enqueued = enqueued
            self.evicted = evicted
            self.dead = dead
            self.pending = pending
        }

        /// Nothing, where the last that was handed back was of another store.
        init(of epoch: String, storedIn disk: QueueRows) throws(SQLiteError) {
            self.init(epoch: epoch, enqueued: 0, evicted: 0, dead: 0, pending: [])
            let stored = try disk.meta(Self.name).flatMap { Returned($0) }
            if let stored, stored.epoch == epoch { self = stored }
        }

        private init?(_ text: String) {
            let parts = text.split(separator: " ")
            guard parts.count >= 4, let enqueued = Int64(parts[1]), let evicted = Int64(parts[2]),
                let dead = Int64(parts[3])
            else { return nil }
            self.init(
                epoch: String(parts[0]), enqueued: enqueued, evicted: evicted, dead: dead,
                pending: parts.dropFirst(4).compactMap { Int64($0) })
        }

        var text: String {
            ([epoch] + ([enqueued, evicted, dead] + pending).map { String($0) })
                .joined(separator: " ")
        }
    }
}
