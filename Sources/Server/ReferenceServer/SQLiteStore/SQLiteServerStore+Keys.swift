import SQLite
import Timekeeping

extension SQLiteServerStore {
    public func createWorkspace(
        _ draft: WorkspaceDraft, now: UTCTime
    ) throws(StoreError) -> Workspace {
        try writer.write { connection in
            let isTaken =
                try connection.first("SELECT 1 FROM workspaces WHERE name = ?", draft.name) {
                    $0.bool(0)
                } ?? false
            if isTaken { throw StoreError.conflict(draft.name) }
            let limits = draft.limits
            try connection.run(
                """
                INSERT INTO workspaces (name, plan, trial_ends_ms, max_fences, max_keys,
                    max_devices, max_events_month, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, draft.name, draft.plan.rawValue,
                draft.trialEnd(createdAt: now)?.millisecondsSince1970, limits.fences, limits.keys,
                limits.devices, limits.eventsPerMonth, now.millisecondsSince1970)
            return Workspace(
                id: connection.lastInsertRowID, name: draft.name, plan: draft.plan,
                trialEndsAt: draft.trialEnd(createdAt: now), limits: limits, createdAt: now)
        }
    }

    public func workspaces() throws(StoreError) -> [Workspace] {
        try readers.read {
            try $0.query("\(Self.selectWorkspace) ORDER BY id") { Self.workspace($0) }
        }
    }

    public func workspace(_ id: Int64, at commit: Int?) throws(StoreError) -> Workspace? {
        try rooms.value(id, at: number(commit)) { () throws(StoreError) in
            try readers.read { try Self.workspace(id, on: $0) }
        }
    }

    /// The commit number that was taken before, or one that is taken now.
    func number(_ known: Int?) throws(StoreError) -> Int {
        if let known { return known }
        return try commitNumber()
    }

    public func commitNumber() throws(StoreError) -> Int {
        do { return try mirror.commitNumber() } catch { throw StoreError(error) }
    }

    public func setPlan(
        _ plan: Workspace.Plan, limits: WorkspaceLimits, of workspace: Int64, now: UTCTime
    ) throws(StoreError) {
        try writer.write { connection in
            let old = try Self.workspace(workspace, on: connection)
            let trialEnd =
                old?.plan == plan ? old?.trialEndsAt : WorkspaceDraft.trialEnd(plan, from: now)
            try connection.run(
                """
                UPDATE workspaces SET plan = ?, trial_ends_ms = ?, max_fences = ?, max_keys = ?,
                    max_devices = ?, max_events_month = ? WHERE id = ?
                """, plan.rawValue, trialEnd?.millisecondsSince1970, limits.fences, limits.keys,
                limits.devices, limits.eventsPerMonth, workspace)
            // Devices have other fences where a trial that was over goes on.
            if old?.trialEndsAt != trialEnd {
                try Self.announceChange(of: workspace, on: connection)
            }
        }
    }

    static func workspace(_ id: Int64, on connection: Connection) throws -> Workspace? {
        try connection.first("\(selectWorkspace) WHERE id = ?", id) { workspace($0) }
    }

    private static let selectWorkspace = """
        SELECT id, name, plan, trial_ends_ms, max_fences, max_keys, max_devices,
            max_events_month, created_ms FROM workspaces
        """

    private static func workspace(_ row: borrowing Row) -> Workspace {
        Workspace(
            id: row.int64(0), name: row.text(1), plan: .init(rawValue: row.text(2)) ?? .trial,
            trialEndsAt: row.optionalTime(3),
            limits: WorkspaceLimits(
                fences: row.int(4), keys: row.int(5), devices: row.optionalInt(6),
                eventsPerMonth: row.optionalInt(7)),
            createdAt: row.time(8))
    }

    public func key(hash: [UInt8], at commit: Int?) throws(StoreError) -> KeyRecord? {
        try keys.value(hash, at: number(commit)) { () throws(StoreError) in
            try readers.read {
                try $0.first("\(Self.selectKey) WHERE hash = ?", hash) { Self.key($0) }
            }
        }
    }

    public func keys(of workspace: Int64) throws(StoreError) -> [KeyRecord] {
        try readers.read {
            try $0.query("\(Self.selectKey) WHERE workspace = ? ORDER BY id", workspace) {
                Self.key($0)
            }
        }
    }

    public func addKey(
        _ draft: KeyDraft, to workspace: Int64, now: UTCTime
    ) throws(StoreError) -> KeyRecord {
        try writer.write { connection in
            guard let room = try Self.workspace(workspace, on: connection) else {
                throw StoreError.failed("no workspace \(workspace)")
            }
            if draft.scope.isDevice, draft.deviceID == nil,
                try Self.countedKeys(of: workspace, on: connection, now: now) >= room.limits.keys
            {
                throw StoreError.limit(.keys(room.limits.keys))
            }
            return try Self.insert(draft, into: workspace, on: connection, now: now)
        }
    }

    static func insert(
        _ draft: KeyDraft, into workspace: Int64, on connection: Connection, now: UTCTime
    ) throws -> KeyRecord {
        try connection.run(
            """
            INSERT INTO keys (workspace, scope, hash, last_four, device_id, created_ms,
                expires_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
            """, workspace, draft.scope.rawValue, draft.hash, draft.lastFour, draft.deviceID,
            now.millisecondsSince1970, draft.expiresAt?.millisecondsSince1970)
        return KeyRecord(
            id: connection.lastInsertRowID, workspace: workspace, scope: draft.scope,
            hash: draft.hash, lastFour: draft.lastFour, deviceID: draft.deviceID,
            createdAt: now, expiresAt: draft.expiresAt, revokedAt: nil)
    }

    /// Keys of device scope that work and are not bound to a device.
    static func countedKeys(
        of workspace: Int64, on connection: Connection, now: UTCTime
    ) throws -> Int {
        try connection.first(
            """
            SELECT count(*) FROM keys WHERE workspace = ? AND scope <> 'admin'
                AND device_id IS NULL AND revoked_ms IS NULL
                AND (expires_ms IS NULL OR expires_ms > ?)
            """, workspace, now.millisecondsSince1970
        ) { $0.int(0) } ?? 0
    }

    public func revokeKey(
        _ id: Int64, of workspace: Int64, now: UTCTime
    ) throws(StoreError) -> Bool {
        try writer.write { connection in
            try connection.run(
                """
                UPDATE keys SET revoked_ms = coalesce(revoked_ms, ?)
                    WHERE id = ? AND workspace = ?
                """, now.millisecondsSince1970, id, workspace)
            return connection.changes > 0
        }
    }

    private static let selectKey = """
        SELECT id, workspace, scope, hash, last_four, device_id, created_ms, expires_ms,
            revoked_ms FROM keys
        """

    private static func key(_ row: borrowing Row) -> KeyRecord {
        KeyRecord(
            id: row.int64(0), workspace: row.int64(1),
            scope: KeyScope(rawValue: row.text(2)) ?? .trial, hash: row.blob(3),
            lastFour: row.text(4), deviceID: row.optionalText(5), createdAt: row.time(6),
            expiresAt: row.optionalTime(7), revokedAt: row.optionalTime(8))
    }
}

extension Row {
    /// A column of milliseconds.
    borrowing func time(_ column: Int32) -> UTCTime {
        UTCTime(millisecondsSince1970: int64(column))
    }

    borrowing func optionalTime(_ column: Int32) -> UTCTime? {
        optionalInt64(column).map(UTCTime.init(millisecondsSince1970:))
    }
}
