import SQLite
import Timekeeping

extension SQLiteServerStore {
    public func deleteEvents(
        receivedBefore end: UTCTime, limit: Int
    ) throws(StoreError) -> Int {
        try writer.write { connection in
            // Row ids grow with receipt, so the oldest come first and nothing has to be searched.
            let oldest = try connection.query(
                "SELECT id, received_ms FROM events ORDER BY id LIMIT ?", limit
            ) { (id: $0.int64(0), receivedAt: $0.time(1)) }
            let due = oldest.prefix { $0.receivedAt < end }
            guard let first = due.first?.id, let last = due.last?.id else { return 0 }
            try connection.run(
                "DELETE FROM notification_claims WHERE event BETWEEN ? AND ?", first, last)
            try connection.run("DELETE FROM events WHERE id BETWEEN ? AND ?", first, last)
            return due.count
        }
    }

    public func deleteRemains(of end: UTCTime, now: UTCTime) throws(StoreError) {
        try writer.write { connection in
            try connection.run(
                """
                DELETE FROM visits WHERE NOT EXISTS (SELECT 1 FROM events e
                    WHERE e.device = visits.device AND e.visit_id = visits.visit_id)
                """)
            try connection.run(
                """
                DELETE FROM anchors WHERE utc_ms < ? AND NOT EXISTS (SELECT 1 FROM events e
                    WHERE e.device = anchors.device AND e.boot_id = anchors.boot_id)
                """, end.millisecondsSince1970)
            try connection.run(
                "DELETE FROM provision_codes WHERE expires_ms < ?", end.millisecondsSince1970)
            try connection.run(
                "DELETE FROM kept_answers WHERE created_ms < ?",
                now.advanced(byMilliseconds: -Idempotency.keptHours * 3_600_000)
                    .millisecondsSince1970)
        }
    }
}
