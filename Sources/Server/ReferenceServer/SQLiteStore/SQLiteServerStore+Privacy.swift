import SQLite
import Timekeeping

/// One device: what is kept of it, and its end.
extension SQLiteServerStore {
    public func device(_ id: String, of workspace: Int64) throws(StoreError) -> StoredDevice? {
        try readers.read { try Self.device(id, of: workspace, on: $0) }
    }

    public func setTags(
        _ tags: [String], of device: String, in workspace: Int64
    ) throws(StoreError) -> StoredDevice? {
        try writer.write { connection in
            guard let row = try Self.deviceRow(device, of: workspace, on: connection) else {
                return nil
            }
            let before = try Self.tags(of: row, on: connection)
            try connection.run("DELETE FROM device_tags WHERE device = ?", row)
            for tag in ExactText.unique(tags) {
                try connection.run(
                    "INSERT INTO device_tags (device, tag) VALUES (?, ?)", row, tag)
            }
            // It may have other fences now.
            if Set(before.map(ExactText.init)) != Set(tags.map(ExactText.init)) {
                try Self.announceChange(of: workspace, on: connection)
            }
            return try Self.device(device, of: workspace, on: connection)
        }
    }

    /// What is kept of a device under its row.
    static let tablesOfDevice = [
        "events", "epochs", "boots", "anchors", "visits", "occupancy", "device_tags",
    ]
    /// Rows of one table that are erased in one transaction, so that writers get in between.
    static let erasedPiece = 1_000

    public func eraseDevice(
        _ id: String, of workspace: Int64, now: UTCTime
    ) throws(StoreError) -> Bool {
        let found = try writer.write { connection in
            // First of all nothing more of it may come.
            try Self.closeOut(id, of: workspace, now: now, on: connection)
            return try Self.deviceRow(id, of: workspace, on: connection)
        }
        guard let row = found else { return false }
        var isRest = false
        while !isRest {
            isRest = try writer.write { connection in
                try Self.erasePiece(ofDevice: row, on: connection)
            }
        }
        return true
    }

    /// A code would let it come back.
    private static func closeOut(
        _ id: String, of workspace: Int64, now: UTCTime, on connection: Connection
    ) throws(SQLiteError) {
        try connection.run(
            "DELETE FROM provision_codes WHERE workspace = ? AND device_id = ?", workspace, id)
        try connection.run(
            """
            UPDATE keys SET revoked_ms = coalesce(revoked_ms, ?)
                WHERE workspace = ? AND device_id = ?
            """, now.millisecondsSince1970, workspace, id)
    }

    /// True: that was all, and the device itself has gone with the last piece.
    private static func erasePiece(
        ofDevice row: Int64, on connection: Connection
    ) throws(SQLiteError) -> Bool {
        let events = try connection.query(
            "SELECT id FROM events WHERE device = ? LIMIT ?", row, erasedPiece
        ) { $0.int64(0) }
        for event in events {
            try connection.run("DELETE FROM notification_claims WHERE event = ?", event)
            try connection.run("DELETE FROM events WHERE id = ?", event)
        }
        if events.count == erasedPiece { return false }
        try connection.run(
            """
            DELETE FROM visits WHERE id IN (SELECT id FROM visits WHERE device = ? LIMIT ?)
            """, row, erasedPiece)
        if connection.changes == erasedPiece { return false }
        try eraseRow(row, on: connection)
        return true
    }

    static func eraseRow(_ row: Int64, on connection: Connection) throws(SQLiteError) {
        for table in tablesOfDevice {
            try connection.run("DELETE FROM \(table) WHERE device = ?", row)
        }
        try connection.run("DELETE FROM devices WHERE id = ?", row)
    }

    static func deviceRow(
        _ id: String, of workspace: Int64, on connection: Connection
    ) throws -> Int64? {
        try connection.first(
            "SELECT id FROM devices WHERE workspace = ? AND device_id = ?", workspace, id
        ) { $0.int64(0) }
    }

    static func tags(of device: Int64, on connection: Connection) throws -> [String] {
        try connection.query(
            "SELECT tag FROM device_tags WHERE device = ? ORDER BY tag", device
        ) { $0.text(0) }
    }
}
