import SQLite
import Timekeeping

extension SQLiteServerStore {
    public func lastSight(
        of device: String, in workspace: Int64
    ) throws(StoreError) -> UTCTime? {
        try readers.read { connection in
            let seen = try connection.first(
                "SELECT last_seen_ms FROM devices WHERE workspace = ? AND device_id = ?",
                workspace, device
            ) { $0.time(0) }
            if let seen { return seen }
            // Refused here, so that those who ask in vain do not wait for the one who writes.
            try Self.checkDeviceLimit(of: workspace, on: connection)
            return nil
        }
    }

    static func checkDeviceLimit(of workspace: Int64, on connection: Connection) throws {
        guard let limit = try Self.workspace(workspace, on: connection)?.limits.devices else {
            return
        }
        let count = try connection.first(
            "SELECT count(*) FROM devices WHERE workspace = ?", workspace
        ) { $0.int(0) }
        if (count ?? 0) >= limit { throw StoreError.limit(.devices(limit)) }
    }
}
