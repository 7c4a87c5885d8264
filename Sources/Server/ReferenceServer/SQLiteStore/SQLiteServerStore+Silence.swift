import SQLite
import Timekeeping

extension SQLiteServerStore {
    /// Devices that are looked at in one piece, and those that are forgotten in one transaction.
    static let searchedDevices = 400
    static let silentPiece = 20

    public func eraseSilentDevices(
        before end: UTCTime, afterDevice device: Int64
    ) throws(StoreError) -> Int64? {
        // The search holds up no writer; who has come back since then is passed over.
        let found = try readers.read { connection in
            try connection.query(
                "SELECT id, last_seen_ms FROM devices WHERE id > ? ORDER BY id LIMIT ?", device,
                Self.searchedDevices
            ) { (row: $0.int64(0), lastSeen: $0.time(1)) }
        }
        var silent = found.filter { $0.lastSeen < end }.map(\.row)[...]
        while !silent.isEmpty {
            let piece = Array(silent.prefix(Self.silentPiece))
            silent = silent.dropFirst(piece.count)
            try writer.write { connection in
                for row in piece { try Self.forget(row, silentSince: end, on: connection) }
            }
        }
        return found.count == Self.searchedDevices ? found.last?.row : nil
    }

    /// What the device said of itself goes. Itself it stays where something waits for it: a visit that
    /// has not ended, or tags, which an administrator gave it.
    private static func forget(
        _ row: Int64, silentSince end: UTCTime, on connection: Connection
    ) throws(SQLiteError) {
        try connection.run(
            """
            UPDATE devices SET user_id = NULL, agent = NULL, pending = NULL, dead = NULL,
                heartbeat = NULL, heartbeat_ms = NULL
                WHERE id = ? AND last_seen_ms < ? AND (heartbeat IS NOT NULL
                    OR user_id IS NOT NULL OR agent IS NOT NULL OR pending IS NOT NULL
                    OR dead IS NOT NULL)
            """, row, end.millisecondsSince1970)
        let isFree = try connection.first(
            """
            SELECT 1 FROM devices d WHERE d.id = ? AND d.last_seen_ms < ?
                AND NOT EXISTS (SELECT 1 FROM visits v WHERE v.device = d.id AND NOT v.has_end)
                AND NOT EXISTS (SELECT 1 FROM device_tags t WHERE t.device = d.id)
                AND NOT EXISTS (SELECT 1 FROM events e WHERE e.device = d.id)
            """, row, end.millisecondsSince1970
        ) { $0.int(0) }
        if isFree != nil { try eraseRow(row, on: connection) }
    }
}
