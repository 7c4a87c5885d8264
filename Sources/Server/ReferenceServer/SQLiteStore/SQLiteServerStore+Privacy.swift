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

    public func eraseDevice(
        _ id: String, of workspace: Int64, now: UTCTime
    ) throws(StoreError) -> Bool {
        try writer.write { connection in
            guard let row = try Self.deviceRow(id, of: workspace, on: connection) else {
                return false
            }
            try connection.run(
                """
                DELETE FROM notification_claims WHERE event IN
                    (SELECT id FROM events WHERE device = ?)
                """, row)
            let tables = [
                "events", "epochs", "boots", "anchors", "visits", "occupancy", "device_tags",
            ]
            for table in tables {
                try connection.run("DELETE FROM \(table) WHERE device = ?", row)
            }
            try connection.run("DELETE FROM devices WHERE id = ?", row)
            // A code would let it come back.
            try connection.run(
                "DELETE FROM provision_codes WHERE workspace = ? AND device_id = ?", workspace, id)
            try connection.run(
                """
                UPDATE keys SET revoked_ms = coalesce(revoked_ms, ?)
                    WHERE workspace = ? AND device_id = ?
                """, now.millisecondsSince1970, workspace, id)
            return true
        }
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
