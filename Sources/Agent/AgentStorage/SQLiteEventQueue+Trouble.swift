import Delivery
import SQLite
import Timekeeping

/// What is done when the disk fails: repairs, memory in its place, and the way back.
extension SQLiteEventQueue {
    /// One for each repair: the log, positions, ballast, two damaged files, acknowledged rows, dead
    /// letters in two steps, the file opened again, a new file, memory.
    static let attempts = 12

    /// What has been done once for one operation, and need not be tried again.
    struct Repairs {
        var hasReopened = false
        var hasCopiedLog = false
        var hasTakenAcknowledged = false
    }

    func repair(
        _ error: SQLiteError, _ done: inout Repairs
    ) throws(QueueError) {
        note(.error, "storage: \(error)")
        switch QueueOpening.Failure(error) {
        case .damaged:
            store = nil
            try openDisk(damage: error.description)
        case .unavailable(_, isFull: true):
            if !makeSpace(&done) { try failOver(.diskFull(reason: error.description)) }
        case .unavailable(let detail, isFull: false):
            // What the kernel keeps of a failed write is not to be trusted: look at the file, once.
            // `perform` keeps the failed connection until then: its index of the log tells a commit
            // that returned from one that was written but not synchronised.
            if error.code == .ioError, !done.hasReopened {
                done.hasReopened = true
                store = nil
                try openDisk()
            } else {
                try failOver(.storageReadOnly(reason: detail))
            }
        case .refused(let refusal):
            throw refusal
        }
    }

    /// Opens the file, which shows `damage` already or not, and ends in memory where that does not work.
    func openDisk(damage: String? = nil) throws(QueueError) {
        do {
            store = try soundStore(damage: damage)
            fallback = nil
            health = .durable
            files.makeBallast(bytes: limits.ballastBytes)
        } catch {
            switch error {
            case .unavailable(let detail, isFull: true): try failOver(.diskFull(reason: detail))
            case .unavailable(let detail, isFull: false), .damaged(let detail):
                try failOver(.storageReadOnly(reason: detail))
            case .refused(let refusal): throw refusal
            }
        }
    }

    func failOver(_ health: StorageHealth) throws(QueueError) {
        let old = store
        store = nil
        do {
            let rows = try old.map(\.rows) ?? readOnlyRows()
            // The file may be damaged: what cannot be read of it must not keep the agent from running.
            let epoch = old?.epoch ?? (try? rows?.meta("epoch"))
            let memory = try opening.openInMemory()
            let last = old?.lastSequence ?? (try? rows?.lastSequence())
            fallback = try MemoryFallback(memory, from: rows, epoch: epoch, lastSequence: last)
            store = memory
        } catch {
            throw .storage(path: ":memory:", detail: "\(error)")
        }
        self.health = health
        nextReopen = timekeeper.uptime.advanced(
            byMilliseconds: Int64(StorageLimits.reopenSeconds * 1000))
        note(.error, "\(health.name): events are kept in memory")
    }

    /// The file as far as it can be read without writing; nil: not at all.
    func readOnlyRows() throws -> QueueRows? {
        // A complete replacement that could not take its place yet has all that the file has.
        let path = [files.replacement, files.database].first(where: QueueFiles.exists)
        guard let path else { return nil }
        for mode in [Connection.OpenMode.readOnly, .immutable] {
            guard let connection = try? Connection(path: path, mode: mode) else { continue }
            let rows = QueueRows(connection: connection)
            if let epoch = try? rows.meta("epoch"), epoch.utf8.count == 32 { return rows }
        }
        return nil
    }

    /// `deadline`: see `handBack`.
    func tryDisk(at now: Uptime, until deadline: Uptime? = nil) {
        nextReopen = now.advanced(byMilliseconds: Int64(StorageLimits.reopenSeconds * 1000))
        guard let fallback else { return }
        do {
            try files.makeDirectory()
            // The folder may be on another file system now, with a lock of its own.
            if lock?.isAt(files.lock) != true { lock = try QueueLock(files.lock) }
            let disk = try soundStore()
            // It makes room, too. At a stop what is in memory alone comes first: what the disk does not
            // learn is only sent again.
            if deadline == nil { settleDelivered(on: disk, at: now, until: nil) }
            try handBack(fallback, to: disk, until: deadline)
            if deadline != nil { settleDelivered(on: disk, at: now, until: deadline) }
            store = disk
            self.fallback = nil
            health = .durable
            note(.notice, "the disk accepts writes again")
        } catch {
            stillUnusable(error)
        }
    }
}
