import SQLite
import Timekeeping

extension SQLiteServerStore {
    public func deleteEvents(
        receivedBefore end: UTCTime, limit: Int
    ) throws(StoreError) -> Int {
        try writer.write { connection in
            // Row ids grow with receipt, so the oldest come first and nothing has to be searched.
            let oldest = try connection.query(
                "SELECT id, received_ms, device, visit_id, epoch FROM events ORDER BY id LIMIT ?",
                limit
            ) {
                DueEvent(
                    id: $0.int64(0), receivedAt: $0.time(1), device: $0.int64(2),
                    visit: $0.optionalText(3), epoch: $0.int64(4))
            }
            let due = oldest.prefix { $0.receivedAt < end }
            guard let first = due.first?.id, let last = due.last?.id else { return 0 }
            try connection.run(
                "DELETE FROM notification_claims WHERE event BETWEEN ? AND ?", first, last)
            try connection.run("DELETE FROM events WHERE id BETWEEN ? AND ?", first, last)
            try Self.noteDeleted(due.map(\.epoch), on: connection)
            var seen: Set<FinishedVisit> = []
            for event in due {
                guard let id = event.visit else { continue }
                let visit = FinishedVisit(device: event.device, id: id)
                if seen.insert(visit).inserted { try visit.delete(on: connection) }
            }
            return due.count
        }
    }

    private struct DueEvent {
        var id: Int64
        var receivedAt: UTCTime
        var device: Int64
        var visit: String?
        var epoch: Int64
    }

    /// What was deleted here has come, and is not missing.
    private static func noteDeleted(_ epochs: [Int64], on connection: Connection) throws {
        let counts = Dictionary(epochs.map { ($0, 1) }, uniquingKeysWith: +)
        for (epoch, count) in counts {
            try connection.run(
                "UPDATE epochs SET deleted = deleted + ?, events = events - ? WHERE id = ?", count,
                count, epoch)
        }
    }

    /// Devices whose anchors are looked through in one piece.
    static let anchorPiece = 20

    public func deleteAnchors(
        before end: UTCTime, afterDevice device: Int64
    ) throws(StoreError) -> Int64? {
        // The search holds up no writer; what came since then is looked at again when deleting.
        let found = try readers.read { connection in
            let devices = try connection.query(
                "SELECT id FROM devices WHERE id > ? ORDER BY id LIMIT ?", device, Self.anchorPiece
            ) { $0.int64(0) }
            let newest = try connection.first("SELECT max(id) FROM events") { $0.optionalInt64(0) }
            var boots: [(device: Int64, boot: String)] = []
            for device in devices {
                boots += try connection.query(
                    """
                    SELECT boot_id FROM anchors WHERE device = ? AND utc_ms < ?
                        UNION SELECT boot_id FROM boots WHERE device = ?
                        EXCEPT SELECT boot_id FROM events WHERE device = ?
                    """, device, end.millisecondsSince1970, device, device
                ) { (device, $0.text(0)) }
            }
            let isLast = devices.count < Self.anchorPiece
            return (last: isLast ? nil : devices.last, newest: (newest ?? nil) ?? 0, boots: boots)
        }
        guard !found.boots.isEmpty else { return found.last }
        try writer.write { connection in
            for (device, boot) in found.boots {
                try connection.run(
                    """
                    DELETE FROM anchors WHERE device = ? AND boot_id = ? AND utc_ms < ?
                        AND NOT EXISTS (SELECT 1 FROM events e NOT INDEXED WHERE e.id > ?
                            AND e.device = anchors.device AND e.boot_id = anchors.boot_id)
                    """, device, boot, end.millisecondsSince1970, found.newest)
                try connection.run(
                    """
                    DELETE FROM boots WHERE device = ? AND boot_id = ?
                        AND NOT EXISTS (SELECT 1 FROM events e NOT INDEXED WHERE e.id > ?
                            AND e.device = boots.device AND e.boot_id = boots.boot_id)
                    """, device, boot, found.newest)
            }
        }
        return found.last
    }

    public func retentionDays() throws(StoreError) -> RetentionDays {
        let found = try readers.read { connection in
            try connection.first("SELECT trusted, claimed FROM retention_days") {
                RetentionDays(trusted: $0.optionalInt64(0), claimed: $0.optionalInt64(1))
            }
        }
        return found ?? RetentionDays()
    }

    public func noteRetention(_ days: RetentionDays) throws(StoreError) {
        try writer.write { connection in
            try connection.run(
                "UPDATE retention_days SET trusted = ?, claimed = ?", days.trusted, days.claimed)
        }
    }

    public func deleteExpired(before end: UTCTime, now: UTCTime) throws(StoreError) {
        try writer.write { connection in
            try connection.run(
                "DELETE FROM provision_codes WHERE expires_ms < ?", end.millisecondsSince1970)
            try connection.run(
                "DELETE FROM kept_answers WHERE created_ms < ?",
                now.advanced(byMilliseconds: -Idempotency.keptHours * 3_600_000)
                    .millisecondsSince1970)
        }
    }
}
