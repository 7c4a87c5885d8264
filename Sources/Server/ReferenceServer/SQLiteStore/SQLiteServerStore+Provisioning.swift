import SQLite
import Timekeeping

extension SQLiteServerStore {
    public func addProvisionCode(
        _ code: ProvisionCode, to workspace: Int64, now: UTCTime
    ) throws(StoreError) {
        try writer.write { connection in
            try connection.run(
                """
                INSERT INTO provision_codes (hash, workspace, device_id, created_ms, expires_ms)
                    VALUES (?, ?, ?, ?, ?)
                """, code.hash, workspace, code.deviceID, now.millisecondsSince1970,
                ProvisionCode.end(issuedAt: now).millisecondsSince1970)
        }
    }

    public func provision(
        _ hash: [UInt8], device: String, key: @escaping @Sendable (KeyScope) throws -> KeyDraft,
        now: UTCTime
    ) throws(StoreError) -> Result<KeyRecord, ProvisionRefusal> {
        try writer.write { connection in
            let row = try connection.first(
                """
                SELECT c.workspace, c.device_id, c.expires_ms, c.used_ms, w.plan
                    FROM provision_codes c JOIN workspaces w ON w.id = c.workspace
                    WHERE c.hash = ?
                """, hash
            ) {
                CodeRow(
                    workspace: $0.int64(0), deviceID: $0.optionalText(1), expiresAt: $0.time(2),
                    isUsed: $0.optionalInt64(3) != nil,
                    plan: Workspace.Plan(rawValue: $0.text(4)) ?? .trial)
            }
            guard let row else { return .failure(.unknown) }
            if row.isUsed { return .failure(.used) }
            if row.expiresAt <= now { return .failure(.expired) }
            if let bound = row.deviceID, bound != device { return .failure(.otherDevice) }
            let draft = try key(row.plan == .trial ? .trial : .live)
            try connection.run(
                "UPDATE provision_codes SET used_ms = ? WHERE hash = ?",
                now.millisecondsSince1970, hash)
            return .success(
                try Self.insert(draft, into: row.workspace, on: connection, now: now))
        }
    }

    private struct CodeRow {
        var workspace: Int64
        var deviceID: String?
        var expiresAt: UTCTime
        var isUsed: Bool
        var plan: Workspace.Plan
    }
}

extension ProvisionRefusal: Error {}
