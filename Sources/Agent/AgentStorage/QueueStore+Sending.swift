import Delivery
import SQLite
import Timekeeping

/// What waits for the server.
extension QueueStore {
    /// Fails with `corrupt` at a row that is no longer what was written.
    func pending(_ selection: BatchSelection) throws(SQLiteError) -> [QueuedEvent] {
        switch selection {
        case .keys(let keys):
            var events: [QueuedEvent] = []
            for key in keys {
                let found = try rows.event(key, epoch: epoch)
                guard let found, found.event?.status ?? .pending == .pending else { continue }
                guard found.isSound, let event = found.event else { throw Self.isDamaged(key) }
                events.append(event)
            }
            return events
        case .oldest(let limit, let maxBytes, let excluding):
            return try oldestPending(limit: limit, maxBytes: maxBytes, excluding: excluding)
        }
    }

    private func oldestPending(
        limit: Int, maxBytes: Int, excluding: KeySet
    ) throws(SQLiteError) -> [QueuedEvent] {
        var events: [QueuedEvent] = []
        var bytes = 0
        var damaged: Int64?
        var lowest: Int64?
        try rows.forEachPending(from: lowestPending) { row in
            let key = QueueRows.key(row)
            lowest = lowest ?? key
            guard !excluding.contains(key) else { return true }
            guard events.count < limit else { return false }
            guard QueueRows.isSound(row, epoch: epoch),
                let event = QueueRows.event(row, epoch: epoch)
            else {
                damaged = key
                return false
            }
            bytes += event.payload.count
            guard events.isEmpty || bytes <= maxBytes else { return false }
            events.append(event)
            return true
        }
        if let lowest { lowestPending = lowest }
        guard let damaged else { return events }
        throw Self.isDamaged(damaged)
    }

    /// After older events than those that wait have come in.
    func lookForPendingAgain() { lowestPending = .min }

    private static func isDamaged(_ key: Int64) -> SQLiteError {
        SQLiteError(
            code: .corrupt, extendedCode: ResultCode.corrupt.rawValue,
            message: "event \(key) is not what was written")
    }

    /// The time of the oldest pending event; nil: none, or the disk does not say.
    func oldestPendingTime() -> UTCTime? {
        guard counters.pending > 0, let oldest = try? rows.oldestPending(from: lowestPending)
        else { return nil }
        lowestPending = oldest.key
        return oldest.madeAt
    }
}
