import SQLite
import Timekeeping

extension SQLiteServerStore {
    public func eventPiece(
        _ filter: EventFilter, of workspace: Int64
    ) throws(StoreError) -> (events: [StoredEvent], next: Int64?) {
        try readers.read { connection in
            var range = SQLCondition("workspace = ?", workspace)
            range.and(filter.isDescending ? "id < ?" : "id > ?", filter.cursor)
            // Found in the index alone.
            let last = try connection.query(
                """
                SELECT id FROM events INDEXED BY events_of_workspace WHERE \(range.text)
                    ORDER BY id \(filter.isDescending ? "DESC" : "ASC") LIMIT 1 OFFSET ?
                """, values: range.values + [(filter.limit - 1).sqliteValue]
            ) { $0.int64(0) }.first
            return (try Self.events(filter, of: workspace, through: last, on: connection), last)
        }
    }

    /// Up to a receipt (nil: to the end), in the order of receipt from the start: no other index could
    /// make it look at more.
    private static func events(
        _ filter: EventFilter, of workspace: Int64, through last: Int64?,
        on connection: Connection
    ) throws -> [StoredEvent] {
        let occurred = ResolvedTime.sql(
            utc: "e.occurred_ms", mono: "e.occurred_mono_ms",
            boot: "e.boot_id", device: "e.device")
        let detected = ResolvedTime.sql(
            utc: "e.detected_ms", mono: "e.mono_ms", boot: "e.boot_id", device: "e.device")
        let at = "coalesce(\(occurred), e.received_ms)"
        var condition = SQLCondition("e.workspace = ?", workspace)
        condition.and("d.device_id = ?", filter.deviceID)
        condition.and("e.fence_id = ?", filter.fenceID)
        condition.and("e.type = ?", filter.kind?.rawValue)
        condition.and("e.visit_id = ?", filter.visitID)
        condition.and("p.epoch = ?", filter.queueEpoch)
        condition.and("\(at) >= ?", filter.since?.millisecondsSince1970)
        condition.and("\(at) < ?", filter.until?.millisecondsSince1970)
        condition.and(filter.isDescending ? "e.id < ?" : "e.id > ?", filter.cursor)
        condition.and(filter.isDescending ? "e.id >= ?" : "e.id <= ?", last)
        let sql = """
            SELECT e.id, d.device_id, e.batch_id, e.received_ms, p.ordinal, \(occurred),
                \(detected), e.occurred_ms IS NULL, e.detected_ms IS NULL, e.document,
                e.verdict
                FROM events e INDEXED BY events_of_workspace
                CROSS JOIN devices d ON d.id = e.device CROSS JOIN epochs p ON p.id = e.epoch
                WHERE \(condition.text) ORDER BY e.id \(filter.isDescending ? "DESC" : "ASC")
                LIMIT ?
            """
        let values = condition.values + [filter.limit.sqliteValue]
        return try connection.query(sql, values: values) { row in
            StoredEvent(
                receipt: row.int64(0), deviceID: row.text(1), batchID: row.text(2),
                receivedAt: row.time(3), epochOrdinal: row.int(4),
                occurredAt: row.optionalTime(5),
                detectedAt: row.optionalTime(6), cameWithoutOccurrence: row.bool(7),
                cameWithoutDetection: row.bool(8), document: row.blob(9), verdict: row.text(10))
        }
    }

    public func visitPiece(
        _ filter: VisitFilter, of workspace: Int64
    ) throws(StoreError) -> (visits: [StoredVisit], next: Int64?) {
        try readers.read { connection in
            let last = try connection.first(
                """
                SELECT id FROM visits INDEXED BY visits_of_workspace
                    WHERE workspace = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?
                """, workspace, filter.cursor ?? 0, filter.limit - 1
            ) { $0.int64(0) }
            return (try Self.visits(filter, of: workspace, through: last, on: connection), last)
        }
    }

    /// `through` as with events.
    private static func visits(
        _ filter: VisitFilter, of workspace: Int64, through last: Int64?,
        on connection: Connection
    ) throws -> [StoredVisit] {
        var condition = SQLCondition("v.workspace = ?", workspace)
        condition.and("d.device_id = ?", filter.deviceID)
        condition.and("v.fence_id = ?", filter.fenceID)
        condition.and("\(Self.visitState) = ?", filter.state?.rawValue)
        condition.and("v.id > ?", filter.cursor)
        condition.and("v.id <= ?", last)
        let started = ResolvedTime.sql(
            utc: "v.start_ms", mono: "v.start_mono_ms", boot: "v.start_boot", device: "v.device")
        let ended = ResolvedTime.sql(
            utc: "v.end_ms", mono: "v.end_mono_ms", boot: "v.end_boot", device: "v.device")
        let sql = """
            SELECT v.id, v.visit_id, d.device_id, v.fence_id, \(Self.visitState), \(started),
                \(ended), v.duration_s, v.inferred, v.end_reason
                FROM visits v INDEXED BY visits_of_workspace
                CROSS JOIN devices d ON d.id = v.device
                WHERE \(condition.text) ORDER BY v.id LIMIT ?
            """
        let values = condition.values + [filter.limit.sqliteValue]
        return try connection.query(sql, values: values) { row in
            StoredVisit(
                receipt: row.int64(0), id: row.text(1), deviceID: row.text(2),
                fenceID: row.optionalText(3), state: .init(rawValue: row.text(4)) ?? .open,
                startedAt: row.optionalTime(5), endedAt: row.optionalTime(6),
                durationSeconds: row.optionalDouble(7), isInferred: row.bool(8),
                endReason: row.optionalText(9))
        }
    }

    /// The raw value of `StoredVisit.State`.
    static let visitState = """
        CASE WHEN v.has_start AND v.has_end THEN 'closed' WHEN v.has_end THEN 'headless'
            WHEN EXISTS (SELECT 1 FROM visits n WHERE n.device = v.device
                AND n.fence_id = v.fence_id AND n.start_epoch = v.start_epoch
                AND n.start_seq > v.start_seq)
            THEN 'interrupted'
            WHEN EXISTS (SELECT 1 FROM visits n WHERE n.device = v.device
                AND n.fence_id = v.fence_id AND n.start_epoch <> v.start_epoch
                AND \(EventOrder.isLaterVisit("n", than: "v")))
            THEN 'interrupted' ELSE 'open' END
        """

    public func usage(of workspace: Int64, now: UTCTime) throws(StoreError) -> Usage {
        try readers.read { connection in
            let devices = try connection.first(
                "SELECT count(*) FROM devices WHERE workspace = ?", workspace
            ) { $0.int(0) }
            return Usage(
                fences: try Self.countFences(of: workspace, on: connection),
                keys: try Self.countedKeys(of: workspace, on: connection, now: now),
                devices: devices ?? 0,
                eventsThisMonth: try Self.eventsThisMonth(
                    of: workspace, now: now, on: connection))
        }
    }
}
