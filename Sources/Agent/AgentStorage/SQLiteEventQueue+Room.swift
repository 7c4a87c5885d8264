import Delivery
import Geofencing
import SQLite
import Timekeeping

extension SQLiteEventQueue {
    /// Payload of an event, about, before it is written.
    private static let eventBytes: Int64 = 1536
    /// What a commit needs besides its events, and the least that one eviction frees.
    private static let slackBytes: Int64 = 65_536
    /// Up to here the queue grows whatever the file system says.
    private static let floorBytes: Int64 = 1_048_576
    /// What a damaged file that cannot be removed, or a tiny file system, leaves to the events.
    private static let leastBytes: Int64 = 196_608
    /// Events in memory that give way at once, so that not every event evicts one.
    private static let memoryLot = 32
    /// Events in memory that tell of evictions before they are merged; one commit makes fewer.
    private static let memoryRecords = 16

    /// What has to give way to the drafts; settled rows go first and at once.
    func makeRoom(
        for drafts: [EventDraft], in store: QueueStore
    ) throws(SQLiteError) -> [Eviction] {
        if let fallback {
            guard fallback.ownPending + Int64(drafts.count) > StorageLimits.memoryEvents else {
                return []
            }
            // The records of evictions count, too, and do not give way: they are made fewer.
            let excess =
                fallback.ownPending + Int64(drafts.count + Self.memoryRecords)
                - StorageLimits.memoryEvents
            return try store.mergingRecords(
                into: store.evictions(
                    freeing: 0, atLeast: max(Self.memoryLot, Int(excess)), ownOnly: true),
                above: Self.memoryRecords)
        }
        let needed = Int64(drafts.count) * Self.eventBytes + Self.slackBytes
        if let free = files.bytesAboveReserve(), free < claim(for: needed) {
            _ = crumbs.giveWay(bytes: claim(for: needed) - free)
        }
        var cap = try capacity(of: store, for: needed)
        guard try store.usedBytesAtMost() + needed > cap, try store.usedBytes() + needed > cap
        else {
            return []
        }
        // No event gives way while a position or a damaged file that was salvaged is kept.
        while try store.usedBytes() + needed > cap, giveWayToEvents() {
            cap = try capacity(of: store, for: needed)
        }
        guard try store.usedBytes() + needed > cap else { return [] }
        _ = try store.deleteAcknowledged(atMost: .max)
        var excess = try store.usedBytes() + needed - cap
        // The oldest, and as many as it takes: nobody is billed by what the server has refused.
        while excess > 0, try store.deleteDead(freeing: max(excess, Self.slackBytes)) > 0 {
            excess = try store.usedBytes() + needed - cap
        }
        guard excess > 0 else { return [] }
        let lot = Int64(
            Double(cap) * (StorageLimits.evictionStart - StorageLimits.evictionGoal))
        return try store.evictions(freeing: max(excess, min(lot, cap / 8)))
    }

    /// Makes room for an operation that found none, by what costs least and was not tried for it yet;
    /// false: there is nothing more. Where the disk is so full that nothing can be deleted or copied,
    /// the ballast ends that, or nothing does.
    func makeSpace(_ done: inout Repairs) -> Bool {
        if !done.hasCopiedLog {
            done.hasCopiedLog = true
            if copyLog() { return true }
        }
        if giveRoom() {
            _ = copyLog()
            return true
        }
        if !done.hasTakenAcknowledged {
            done.hasTakenAcknowledged = true
            if let count = try? store?.deleteAcknowledged(atMost: .max), count > 0 {
                _ = copyLog()
                return true
            }
        }
        // In the very transaction that needs the room: none is lost in vain.
        return store?.lowerDeadLetterLimit() ?? false
    }

    /// Copies the log into the database and makes it empty; false: it was, or cannot be copied.
    private func copyLog() -> Bool {
        guard let store, (try? QueueFiles.size(of: files.database + "-wal")) ?? 0 > 0 else {
            return false
        }
        do {
            try store.connection.checkpoint(.truncate)
            return true
        } catch {
            return false
        }
    }

    private func giveWayToEvents() -> Bool {
        if crumbs.discard(because: "the queue needs their room") { return true }
        if files.dropOldestQuarantined() {
            note(.warning, "gave up the oldest file in quarantine for new events")
        }
        // Somebody may have taken them away in the meantime.
        let before = quarantinedBytes
        quarantinedBytes = files.quarantinedBytes
        return quarantinedBytes < before
    }

    /// Bytes that the database may use now.
    private func capacity(of store: QueueStore, for needed: Int64) throws(SQLiteError) -> Int64 {
        let cap =
            max(
                Self.leastBytes,
                Int64(Double(limits.maxBytes) * StorageLimits.evictionStart) - quarantinedBytes)
        guard let free = files.bytesAboveReserve(), free < claim(for: needed) else { return cap }
        // The file must not grow: what it has is what there is.
        let present = min(cap, max(Self.floorBytes, try store.connection.databaseBytes()))
        return min(present, max(Self.leastBytes, files.greatestDatabase() ?? .max))
    }

    /// Bytes of free room with which the file may grow. A ballast that was given up has the first
    /// claim on what became free.
    private func claim(for needed: Int64) -> Int64 {
        let ballast = files.hasBallast ? 0 : QueueFiles.roomForBallast(bytes: limits.ballastBytes)
        return needed + Int64(StorageLimits.logBytes) + ballast
    }

    /// The event that tells of an eviction.
    func evictionDraft(_ eviction: Eviction) -> EventDraft {
        var draft = deviceDraft(.queueEvicted)
        draft.evicted = eviction.range
        draft.reason = eviction.epoch.map { "epoch \($0)" } ?? Eviction.reason
        return draft
    }

    /// The event that tells of a replaced file; nil `lost`: not known how many.
    func resetDraft(detail: String, lost: Int64?) -> EventDraft {
        var draft = deviceDraft(.stateReset)
        draft.reason = String("quarantine: \(detail)".prefix(Self.reasonLimit))
        if let lost, lost > 0 {
            draft.evicted = EvictedRange(
                kind: .stateReset, count: lost, firstSequence: 0, lastSequence: 0)
        }
        return draft
    }

    private static let reasonLimit = 200

    /// An event of the queue itself, made now.
    private func deviceDraft(_ kind: EventKind) -> EventDraft {
        let wall = timekeeper.wallClock
        let now = Moment(
            uptime: timekeeper.uptime, utc: wall.isSynchronised ? wall.time : nil)
        return EventDraft(
            kind: kind, bootID: timekeeper.bootID, occurred: now, detected: now, wallClock: wall,
            timeQuality: wall.isSynchronised ? .disciplined : .monotonicOnly)
    }

    /// Names a quarantined file by the time of its damage.
    var quarantineLabel: String {
        timekeeper.wallClock.time.rfc3339.filter { $0 != ":" && $0 != "." }
    }
}
