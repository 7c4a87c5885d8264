import SQLite
import Timekeeping

extension SQLiteServerStore {
    public func heartbeat(
        _ report: DeviceReport, from device: String, of workspace: Int64, now: UTCTime
    ) throws(StoreError) {
        try writer.write { connection in
            _ = try Self.noteDevice(device, report, of: workspace, now: now, on: connection)
        }
    }

    /// The row of a device, which is made at its first sign of life.
    static func noteDevice(
        _ id: String, _ report: DeviceReport, of workspace: Int64, now: UTCTime,
        on connection: Connection
    ) throws -> Int64 {
        let known = try connection.first(
            "SELECT id FROM devices WHERE workspace = ? AND device_id = ?", workspace, id
        ) { $0.int64(0) }
        let row = try known ?? addDevice(id, of: workspace, now: now, on: connection)
        try connection.run(
            """
            UPDATE devices SET last_seen_ms = max(last_seen_ms, ?),
                user_id = coalesce(?, user_id), agent = coalesce(?, agent),
                pending = coalesce(?, pending), dead = coalesce(?, dead),
                heartbeat = coalesce(?, heartbeat), heartbeat_ms = coalesce(?, heartbeat_ms)
                WHERE id = ?
            """, now.millisecondsSince1970, report.userID, report.agent, report.pending,
            report.dead, report.heartbeat,
            report.heartbeat == nil ? nil : now.millisecondsSince1970, row)
        return row
    }

    private static func addDevice(
        _ id: String, of workspace: Int64, now: UTCTime, on connection: Connection
    ) throws -> Int64 {
        try checkDeviceLimit(of: workspace, on: connection)
        try connection.run(
            """
            INSERT INTO devices (workspace, device_id, first_seen_ms, last_seen_ms)
                VALUES (?, ?, ?, ?)
            """, workspace, id, now.millisecondsSince1970, now.millisecondsSince1970)
        return connection.lastInsertRowID
    }

    public func devices(
        _ filter: DeviceFilter, of workspace: Int64, after id: String?, limit: Int
    ) throws(StoreError) -> [StoredDevice] {
        var search = SQLCondition("workspace = ? AND device_id > ?", workspace, id ?? "")
        search.and(
            "id IN (SELECT device FROM occupancy WHERE fence_id = ? AND inside)",
            filter.insideFence)
        if filter.isInterleaved {
            search.and(
                "id IN (SELECT device FROM epochs WHERE interleaved_ms IS NOT NULL) = ?", true)
        }
        let condition = search
        return try readers.read { connection in
            let rows = try connection.query(
                "\(Self.selectDevice) WHERE \(condition.text) ORDER BY device_id LIMIT \(limit)",
                values: condition.values
            ) { Self.device($0) }
            return try rows.map { try Self.completed($0, on: connection) }
        }
    }

    public func interleavedDeviceCount() throws(StoreError) -> Int {
        let count = try alarms.value(.interleavedEpochs, at: commitNumber()) {
            () throws(StoreError) in
            try readers.read { connection in
                try connection.first(
                    "SELECT count(DISTINCT device) FROM epochs WHERE interleaved_ms IS NOT NULL"
                ) { $0.int(0) }
            }
        }
        return count ?? 0
    }

    static func device(
        _ id: String, of workspace: Int64, on connection: Connection
    ) throws -> StoredDevice? {
        let row = try connection.first(
            "\(selectDevice) WHERE workspace = ? AND device_id = ?", workspace, id
        ) { device($0) }
        return try row.map { try completed($0, on: connection) }
    }

    private static let selectDevice = """
        SELECT id, device_id, user_id, agent, first_seen_ms, last_seen_ms, pending, dead,
            heartbeat, heartbeat_ms FROM devices
        """

    private static func device(_ row: borrowing Row) -> (rowID: Int64, device: StoredDevice) {
        let device = StoredDevice(
            id: row.text(1), userID: row.optionalText(2), agent: row.optionalText(3),
            firstSeenAt: row.time(4), lastSeenAt: row.time(5),
            pending: row.optionalInt64(6), dead: row.optionalInt64(7),
            heartbeat: row.optionalBlob(8), heartbeatAt: row.optionalTime(9), tags: [],
            insideFences: [], epochs: [])
        return (row.int64(0), device)
    }

    private static func completed(
        _ row: (rowID: Int64, device: StoredDevice), on connection: Connection
    ) throws -> StoredDevice {
        var device = row.device
        device.tags = try tags(of: row.rowID, on: connection)
        device.insideFences = try insideFences(of: row.rowID, on: connection)
        device.epochs = try epochs(of: row.rowID, on: connection)
        device.hasOddTimes = try hasOddTimes(row.rowID, on: connection)
        return device
    }

    /// By the spans of its epochs, so that no event has to be read.
    private static func hasOddTimes(_ device: Int64, on connection: Connection) throws -> Bool {
        try connection.first(
            """
            SELECT 1 FROM epochs p JOIN devices d ON d.id = p.device WHERE p.device = ?
                AND (p.last_ms > d.last_seen_ms + ? OR p.first_ms < p.first_seen_ms - ?) LIMIT 1
            """, device, TimeFlag.greatestLead, TimeFlag.greatestAge
        ) { $0.int(0) } != nil
    }

    private static func insideFences(of device: Int64, on connection: Connection) throws -> [String]
    {
        try connection.query(
            "SELECT fence_id FROM occupancy WHERE device = ? AND inside ORDER BY fence_id", device
        ) { $0.text(0) }
    }

    /// Epochs that are told of a device, the latest; more than a device ever has within weeks.
    static let toldEpochs = 100

    private static func epochs(
        of device: Int64, on connection: Connection
    ) throws -> [StoredDevice.Epoch] {
        try connection.query(
            """
            SELECT p.epoch, p.first_seen_ms, p.events, coalesce((SELECT min(e.seq) FROM events e
                    WHERE e.device = p.device AND e.epoch = p.id), 0),
                p.last_seq, p.conflicts, p.deleted, p.interleaved_ms
                FROM epochs p WHERE p.device = ? ORDER BY p.ordinal DESC LIMIT ?
            """, device, toldEpochs
        ) {
            StoredDevice.Epoch(
                epoch: $0.text(0), firstSeenAt: $0.time(1), events: $0.int64(2),
                firstSequence: $0.int64(3), lastSequence: $0.int64(4), conflicts: $0.int64(5),
                deleted: $0.int64(6), interleavedSince: $0.optionalTime(7))
        }.reversed()
    }
}
