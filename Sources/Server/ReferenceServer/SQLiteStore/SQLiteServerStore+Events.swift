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
            \(selectEvents("INDEXED BY events_of_workspace")) WHERE \(condition.text)
                ORDER BY e.id \(filter.isDescending ? "DESC" : "ASC") LIMIT ?
            """
        let values = condition.values + [filter.limit.sqliteValue]
        return try connection.query(sql, values: values) { event($0) }
    }

    public func event(_ id: String, of workspace: Int64) throws(StoreError) -> StoredEvent? {
        try readers.read { connection in
            try connection.first(
                "\(Self.selectEvents("")) WHERE e.workspace = ? AND e.client_event_id = ?",
                workspace,
                id
            ) { Self.event($0) }
        }
    }

    private static let occurred = ResolvedTime.sql(
        utc: "e.occurred_ms", mono: "e.occurred_mono_ms", boot: "e.boot_id", device: "e.device")
    private static let detected = ResolvedTime.sql(
        utc: "e.detected_ms", mono: "e.mono_ms", boot: "e.boot_id", device: "e.device")

    private static func selectEvents(_ index: String) -> String {
        """
        SELECT e.id, d.device_id, e.batch_id, e.received_ms, p.ordinal, \(occurred),
            \(detected), e.occurred_ms IS NULL, e.detected_ms IS NULL, e.document, e.verdict
            FROM events e \(index)
            CROSS JOIN devices d ON d.id = e.device CROSS JOIN epochs p ON p.id = e.epoch
        """
    }

    private static func event(_ row: borrowing Row) -> StoredEvent {
        StoredEvent(
            receipt: row.int64(0), deviceID: row.text(1), batchID: row.text(2),
            receivedAt: row.time(3), epochOrdinal: row.int(4), occurredAt: row.optionalTime(5),
            detectedAt: row.optionalTime(6), cameWithoutOccurrence: row.bool(7),
            cameWithoutDetection: row.bool(8), document: row.blob(9), verdict: row.text(10))
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
        let sql = """
            \(visitColumns) FROM visits v INDEXED BY visits_of_workspace
                CROSS JOIN devices d ON d.id = v.device
                WHERE \(condition.text) ORDER BY v.id LIMIT ?
            """
        let values = condition.values + [filter.limit.sqliteValue]
        return try connection.query(sql, values: values) { visit($0) }
    }

    public func visit(_ id: String, of workspace: Int64) throws(StoreError) -> StoredVisit? {
        try readers.read { connection in
            // Visits are indexed by device and id.
            try connection.first(
                """
                \(Self.visitColumns) FROM devices d CROSS JOIN visits v ON v.device = d.id
                    WHERE d.workspace = ? AND v.visit_id = ? ORDER BY v.id LIMIT 1
                """, workspace, id
            ) { Self.visit($0) }
        }
    }

    private static let visitColumns = """
        SELECT v.id, v.visit_id, d.device_id, v.fence_id, \(visitState), \(started), \(ended),
            v.duration_s, v.inferred, v.end_reason
        """
    private static let started = ResolvedTime.sql(
        utc: "v.start_ms", mono: "v.start_mono_ms", boot: "v.start_boot", device: "v.device")
    private static let ended = ResolvedTime.sql(
        utc: "v.end_ms", mono: "v.end_mono_ms", boot: "v.end_boot", device: "v.device")

    private static func visit(_ row: borrowing Row) -> StoredVisit {
        StoredVisit(
            receipt: row.int64(0), id: row.text(1), deviceID: row.text(2),
            fenceID: row.optionalText(3), state: .init(rawValue: row.text(4)) ?? .open,
            startedAt: row.optionalTime(5), endedAt: row.optionalTime(6),
            durationSeconds: row.optionalDouble(7), isInferred: row.bool(8),
            endReason: row.optionalText(9))
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
