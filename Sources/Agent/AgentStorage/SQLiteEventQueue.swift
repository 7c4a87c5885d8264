import Delivery
import SQLite
import Timekeeping

/// The event queue on SQLite.
///
/// Invariants, beyond those of `EventQueue`: one process at a time; damage, a full disk and a disk
/// that refuses writes never stop it. Damage costs what cannot be read, which is counted and told
/// (`state_reset`). While the disk refuses, a bounded store in memory takes over with an epoch of
/// its own, and is written to the disk when that recovers.
public final class SQLiteEventQueue: EventQueue {
    let files: QueueFiles
    let opening: QueueOpening
    let limits: StorageLimits
    let timekeeper: any Timekeeper
    private let log: any LogSink
    let crumbs: BreadcrumbStore
    var lock: QueueLock?
    /// Nil after `close`.
    var store: QueueStore?
    /// What to hand back to the disk; nil: `store` is on disk.
    var fallback: MemoryFallback?
    public internal(set) var health = StorageHealth.durable
    /// When the disk is tried again.
    var nextReopen = Uptime(milliseconds: .min)
    /// When the disk is looked through for more to offer from memory.
    var nextOffer = Uptime(milliseconds: .min)
    /// What damaged files in the quarantine take of the room that the queue may have.
    var quarantinedBytes: Int64 = 0

    /// Opens or makes the queue in `directory`, whose parent must exist.
    ///
    /// - Parameters:
    ///   - hardwareID: serial number of the hardware, so that a copied card is noticed.
    ///   - fileBirth: when a file was made, in any unit, nil where not known; a file that was made anew
    ///     is a copy that was put back.
    ///   - isDrain: the queue is only emptied; see `isWanted`.
    /// - Throws: `heldByAnotherProcess` and `newerVersion`; every other trouble is worked around
    ///   and shown in `health`.
    public init(
        directory: String, deviceID: String, hardwareID: String?,
        fileBirth: @escaping @Sendable (String) -> Int64? = { _ in nil },
        limits: StorageLimits = StorageLimits(), isDrain: Bool = false,
        timekeeper: any Timekeeper, log: any LogSink
    ) throws(QueueError) {
        files = QueueFiles(directory: directory)
        self.limits = limits
        self.timekeeper = timekeeper
        self.log = log
        opening = QueueOpening(
            files: files, deviceID: deviceID, hardwareID: hardwareID, limits: limits,
            fileBirth: fileBirth)
        crumbs = BreadcrumbStore(files, limits, log: log)
        do {
            try files.makeDirectory()
            if let mode = files.openMode {
                log.write(
                    LogLine(
                        .warning,
                        "state_directory \(directory): mode \(mode) lets others look into it, "
                            + "chmod 0700 \(directory)"))
            }
            lock = try QueueLock(files.lock, purpose: isDrain ? .drain : .agent)
        } catch {
            if case .heldByAnotherProcess = error { throw error }
            try failOver(.storageReadOnly(reason: error.description))
            return
        }
        if !isDrain { crumbs.eraseWhereOff() }
        try openDisk()
    }

    /// 32 hex digits that name this queue file.
    public var epoch: String { store?.epoch ?? "" }

    /// Tells, from any thread, whether an agent waits for this queue, which was opened to be emptied;
    /// it waits five seconds.
    public var isWanted: @Sendable () -> Bool {
        let lock = lock
        return { lock?.isWanted ?? false }
    }

    // MARK: EventQueue

    public func commit(
        _ drafts: [EventDraft], state: StateUpdate
    ) throws(QueueError) -> [Event] {
        try perform { store in
            var evictions: [Eviction] = []
            if !drafts.isEmpty { evictions = try self.makeRoom(for: drafts, in: store) }
            let all =
                evictions.isEmpty ? drafts : evictions.map(self.evictionDraft) + drafts
            let preparation = try store.prepare(all)
            try store.commit(preparation, state: state, evicting: evictions)
            for eviction in evictions where !eviction.keys.isEmpty {
                self.note(.warning, "evicted \(eviction.keys.count) \(eviction.kind.rawValue)")
            }
            return preparation.events
        }
    }

    public func pending(_ selection: BatchSelection) throws(QueueError) -> [QueuedEvent] {
        try perform { try $0.pending(selection) }
    }

    public func settle(
        _ settlements: [Settlement], state: StateUpdate
    ) throws(QueueError) {
        try perform { try $0.settle(settlements, state: state) }
    }

    public var counts: QueueCounts {
        guard let store else { return QueueCounts() }
        let counters = store.counters
        return QueueCounts(
            enqueued: counters.enqueued, acknowledged: counters.acknowledged,
            pending: counters.pending, dead: counters.dead, evicted: counters.evicted,
            oldest: store.oldestPendingTime())
    }

    public func events(after key: Int64?, limit: Int) throws(QueueError) -> [QueuedEvent] {
        try perform { try $0.rows.events(after: key, limit: limit, epoch: $0.epoch) }
    }

    public func startOfNewest(_ limit: Int) throws(QueueError) -> Int64 {
        try perform { try $0.rows.startOfNewest(limit) }
    }

    public func positions() throws(QueueError) -> QueuePositions {
        try perform { store in
            var last = try store.rows.foreignPositions()
            // Most of what is on disk is not carried over into memory.
            if let disk = self.fallback?.diskPosition { last[disk.epoch] = disk.sequence }
            last[store.epoch] = store.lastSequence
            return QueuePositions(current: store.epoch, last: last)
        }
    }

    public func deadLetters(limit: Int) throws(QueueError) -> [QueuedEvent] {
        try perform { try $0.rows.deadLetters(limit: limit, epoch: $0.epoch) }
    }

    public var clockAnchors: [ClockAnchor] { store?.clockAnchors ?? [] }

    public func state(_ key: StateKey) throws(QueueError) -> [UInt8]? {
        try perform { try $0.rows.state(key) }
    }

    public func maintain(at now: Uptime) {
        guard store != nil else { return }
        if fallback != nil {
            if now >= nextReopen { tryDisk(at: now) }
            offerMore(at: now)
        } else {
            files.makeBallast(bytes: limits.ballastBytes)
            crumbs.openPresent()
        }
    }

    public func keep(_ breadcrumbs: [Breadcrumb]) {
        guard let store, fallback == nil else {
            return crumbs.lose(breadcrumbs, "the disk takes no writes")
        }
        let used = (try? store.connection.databaseBytes()) ?? 0
        crumbs.keep(breadcrumbs, besides: used + quarantinedBytes)
    }

    public var breadcrumbs: BreadcrumbCounts? { crumbs.isOn ? crumbs.counts : nil }

    public func close() {
        let now = timekeeper.uptime
        if fallback != nil {
            tryDisk(
                at: now,
                until: now.advanced(
                    byMilliseconds: Int64(StorageLimits.closingSeconds * 1000)))
        }
        // What was carried over is on the disk still.
        if let lost = fallback?.ownPending, lost > 0 {
            note(.error, "\(lost) events in memory are lost with the process")
        }
        do {
            if fallback == nil { try store?.markClean() }
        } catch {
            note(.warning, "the queue could not be closed cleanly: \(error)")
        }
        fallback = nil
        store = nil
        crumbs.close()
        lock?.release()
        lock = nil
    }

    /// Counts the rows again and compares them with the counters; reads the whole file.
    public func verify() throws(QueueError) -> Bool {
        try perform { try $0.rows.recount() == $0.counters && $0.counters.isBalanced }
    }

    /// Writes a consistent copy of the queue to a new file.
    public func backUp(to path: String) throws(QueueError) {
        try QueueFiles.makeEmptyFile(path)
        try perform { try $0.connection.vacuum(into: path) }
    }

    // MARK: Trouble

    /// Runs `work`, and again after each repair of what its failure shows.
    private func perform<Result>(
        _ work: (QueueStore) throws -> Result
    ) throws(QueueError) -> Result {
        var failure: SQLiteError?
        var done = Repairs()
        defer { store?.deadLetterLimit = StorageLimits.deadLetterBytes }
        for _ in 0..<Self.attempts {
            guard let store else { throw .closed }
            do {
                return try work(store)
            } catch let error as QueueError {
                throw error
            } catch let error as SQLiteError {
                failure = error
                guard fallback == nil else { break }
                try repair(error, &done)
            } catch {
                throw .storage(path: files.database, detail: "\(error)")
            }
        }
        throw .storage(path: files.database, detail: failure?.description ?? "no attempt")
    }

    func note(_ level: LogLevel, _ message: String) {
        log.write(LogLine(level, "queue: \(message)"))
    }
}
