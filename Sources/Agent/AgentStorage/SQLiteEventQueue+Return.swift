import Delivery
import SQLite
import Timekeeping

extension SQLiteEventQueue {
    /// Offers what else waits on a disk that can be read only. The file is opened for this alone: one
    /// that is kept open keeps a dead disk from being taken away. To open it for reading makes the index
    /// of the log, too.
    func offerMore(at now: Uptime) {
        guard now >= nextOffer, var memory = fallback, memory.hasRoomForMore else { return }
        var count = 0
        if files.hasRoomForIndex, let rows = (try? readOnlyRows()) ?? nil {
            count = (try? memory.carryMore(from: rows)) ?? 0
            fallback = memory
        }
        guard count == 0 else { return note(.info, "\(count) more events of the disk are offered") }
        nextOffer = now.advanced(
            byMilliseconds: Int64(StorageLimits.reopenSeconds * 1000))
    }

    /// Tells the disk what of its backlog has arrived, as far as that goes in a few seconds.
    func settleDelivered(on disk: QueueStore, at now: Uptime, until deadline: Uptime?) {
        let settlements = fallback?.takeDelivered(for: disk.epoch) ?? []
        let end = now.advanced(byMilliseconds: Int64(StorageLimits.returnSeconds * 1000))
        for start in stride(from: 0, to: settlements.count, by: Self.lot) {
            guard timekeeper.uptime < min(end, deadline ?? end) else { break }
            do throws(SQLiteError) {
                try disk.settle(Array(settlements[start...].prefix(Self.lot)), state: .none)
            } catch {
                guard error.code == .full else { break }
                try? disk.connection.checkpoint(.truncate)
            }
        }
    }

    /// Hands back to the disk what happened in memory. Where there is no room for that, what was
    /// delivered meanwhile makes room within the file first: else a disk that stays full would keep
    /// the queue in memory for good, however much the server has taken. Dead letters go only where
    /// that is not enough, the oldest first.
    ///
    /// `deadline` ends the work of making room, of which each step stands for itself; nil: none.
    func handBack(
        _ memory: MemoryFallback, to disk: QueueStore, until deadline: Uptime? = nil
    ) throws(SQLiteError) {
        if try takesBack(memory, disk) { return }
        func isTimeLeft() -> Bool { deadline.map { timekeeper.uptime < $0 } ?? true }
        // In lots, so that the log stays short.
        let settlements = try memory.carriedSettlements()
        for start in stride(from: 0, to: settlements.count, by: Self.lot) where isTimeLeft() {
            try disk.settle(Array(settlements[start...].prefix(Self.lot)), state: .none)
            try? disk.connection.checkpoint(.truncate)
        }
        while isTimeLeft(), try disk.deleteAcknowledged(atMost: Self.lot) > 0 {
            try? disk.connection.checkpoint(.truncate)
        }
        while isTimeLeft() {
            if try takesBack(memory, disk) { return }
            guard try disk.deleteDead(freeing: Self.deadLot) > 0 else { break }
            try? disk.connection.checkpoint(.truncate)
        }
        try memory.handBack(to: disk)
    }

    /// False: the disk has no room for it; what the try has left in the log is copied.
    private func takesBack(
        _ memory: MemoryFallback, _ disk: QueueStore
    ) throws(SQLiteError) -> Bool {
        do throws(SQLiteError) {
            try memory.handBack(to: disk)
            return true
        } catch {
            guard error.code == .full else { throw error }
            try? disk.connection.checkpoint(.truncate)
            return false
        }
    }

    /// Rows of one transaction.
    private static let lot = 128
    /// Dead letters that go between two tries, bytes of payload.
    private static let deadLot = StorageLimits.deadLetterBytes / 4

    /// Why events are in memory still, as the last try to use the disk has found out.
    func stillUnusable(_ error: any Error) {
        note(.debug, "the disk is still unusable: \(error)")
        guard case .unavailable(let detail, let isFull) = QueueOpening.Failure(besides: error)
        else { return }
        health = isFull ? .diskFull(reason: detail) : .storageReadOnly(reason: detail)
    }
}
