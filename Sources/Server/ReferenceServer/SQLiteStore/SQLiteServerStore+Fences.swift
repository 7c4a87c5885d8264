import Cryptography
import SQLite
import Timekeeping
import WireFormat

extension SQLiteServerStore {
    public func fence(_ id: String, of workspace: Int64) throws(StoreError) -> StoredFence? {
        try readers.read {
            try $0.first(
                "\(Self.selectFence) WHERE workspace = ? AND fence_id = ?", workspace, id
            ) { Self.fence($0) }
        }
    }

    public func fences(
        of workspace: Int64, after id: String?, limit: Int
    ) throws(StoreError) -> [StoredFence] {
        try readers.read {
            try $0.query(
                "\(Self.selectFence) WHERE workspace = ? AND fence_id > ? ORDER BY fence_id LIMIT ?",
                workspace, id ?? "", limit
            ) { Self.fence($0) }
        }
    }

    public func fences(
        assignedTo member: FenceAudienceMember, of workspace: Int64, after id: String?, limit: Int,
        now: UTCTime
    ) throws(StoreError) -> [StoredFence] {
        let values: [any Bindable] =
            [workspace, id ?? ""] + AudienceCondition.values(member, in: workspace)
            + [now.millisecondsSince1970, limit]
        let bound = values.map(\.sqliteValue)
        return try readers.read {
            try $0.query(
                """
                \(Self.selectFence) f WHERE workspace = ? AND fence_id > ? AND restricted
                    AND \(AudienceCondition.isNamed)
                    AND (expires_ms IS NULL OR expires_ms > ?) ORDER BY fence_id LIMIT ?
                """, values: bound
            ) { Self.fence($0) }
        }
    }

    static let selectFence = "SELECT fence_id, version, document, tag FROM fences"

    static func fence(_ row: borrowing Row) -> StoredFence {
        StoredFence(
            id: row.text(0), version: row.int(1), document: row.blob(2), tag: row.int64(3))
    }

    public func putFences(
        _ drafts: [FenceDraft], replacingAll: Bool, in workspace: Int64, now: UTCTime
    ) throws(StoreError) -> FenceChanges {
        try writeFences { connection in
            var changes = FenceChanges()
            var carriage = CampaignCarriage(
                CampaignTables(workspace: workspace, connection: connection), now: now)
            for draft in drafts {
                let place = try Self.put(draft, in: workspace, on: connection, now: now)
                try carriage.carry(draft, on: place)
                switch place.outcome {
                case .created: changes.created.append(draft.id)
                case .updated: changes.updated.append(draft.id)
                case .unchanged where carriage.isChanged(place.rowID):
                    changes.updated.append(draft.id)
                case .unchanged: changes.unchanged.append(draft.id)
                }
            }
            if replacingAll {
                let kept = Set(drafts.map { ExactText($0.id) })
                let all = try connection.query(
                    "SELECT fence_id FROM fences WHERE workspace = ? ORDER BY fence_id", workspace
                ) { $0.text(0) }
                for id in all where !kept.contains(ExactText(id)) {
                    _ = try Self.delete(id, of: workspace, on: connection)
                    changes.deleted.append(id)
                }
            }
            try Self.refuseOtherSpelling(of: changes.created, in: workspace, on: connection)
            changes.total = try Self.countFences(of: workspace, on: connection)
            let limit = try Self.workspace(workspace, on: connection)?.limits.fences ?? 0
            // A workspace above a limit that was lowered may still edit what it has.
            if changes.total > limit, !changes.created.isEmpty {
                throw StoreError.limit(.fences(limit))
            }
            try carriage.finish()
            if !(changes.created.isEmpty && changes.updated.isEmpty && changes.deleted.isEmpty) {
                try Self.announceChange(of: workspace, on: connection)
            }
            return changes
        }
    }

    /// Devices know a fence by the text of its id, so two spellings of one text are one fence to them.
    /// ASCII has no other spelling among ids (`FenceCheck.idDefects`).
    private static func refuseOtherSpelling(
        of created: [String], in workspace: Int64, on connection: Connection
    ) throws {
        let unusual = created.filter { !$0.utf8.allSatisfy { $0 < 0x80 } }
        guard !unusual.isEmpty else { return }
        let all = try connection.query(
            "SELECT fence_id FROM fences WHERE workspace = ?", workspace
        ) { $0.text(0) }
        if let other = ExactText.otherSpelling(of: unusual, among: all) {
            throw StoreError.conflict(other)
        }
    }

    static func countFences(of workspace: Int64, on connection: Connection) throws -> Int {
        try connection.first("SELECT count(*) FROM fences WHERE workspace = ?", workspace) {
            $0.int(0)
        } ?? 0
    }

    public func deleteFence(_ id: String, of workspace: Int64) throws(StoreError) -> Bool {
        try writeFences { connection in
            let isDeleted = try Self.delete(id, of: workspace, on: connection)
            if isDeleted { try Self.announceChange(of: workspace, on: connection) }
            return isDeleted
        }
    }

    /// Running agents learn by the revision that there is something new to fetch.
    static func announceChange(of workspace: Int64, on connection: Connection) throws {
        try connection.run(
            "UPDATE workspaces SET config_revision = config_revision + 1 WHERE id = ?", workspace)
        try connection.run(
            "DELETE FROM fence_changes WHERE id <= (SELECT max(id) FROM fence_changes) - ?",
            FenceMirror.keptChanges)
    }

    private struct Existing {
        var rowID: Int64
        var version: Int
        var createdAt: UTCTime
        var contentHash: [UInt8]
    }

    private static func existing(
        _ id: String, of workspace: Int64, on connection: Connection
    ) throws -> Existing? {
        try connection.first(
            """
            SELECT id, version, created_ms, content_hash FROM fences
                WHERE workspace = ? AND fence_id = ?
            """, workspace, id
        ) {
            Existing(
                rowID: $0.int64(0), version: $0.int(1), createdAt: $0.time(2),
                contentHash: $0.blob(3))
        }
    }

    /// Where a fence was written, and whether that changed it.
    struct Place {
        var rowID: Int64
        var outcome: Outcome

        enum Outcome {
            case created, updated, unchanged
        }
    }

    private static func put(
        _ draft: FenceDraft, in workspace: Int64, on connection: Connection, now: UTCTime
    ) throws -> Place {
        let old = try existing(draft.id, of: workspace, on: connection)
        let hash = try SHA256.digest(of: draft.wire.content())
        if let old, old.contentHash == hash {
            return Place(rowID: old.rowID, outcome: .unchanged)
        }
        let version = (old?.version ?? 0) + 1
        let createdAt = old?.createdAt ?? now
        let document = try draft.wire.document(version: version, createdAt: createdAt)
        try checkSize(of: document, id: draft.id)
        let tag = try tag(of: document)
        let ground = draft.shape.ground
        let content: [any Bindable] = [
            version, draft.expiresAt?.millisecondsSince1970, document, hash, tag,
            ground.center.latitude, ground.center.longitude, ground.reachMeters, ground.isOutline,
        ]
        if let old {
            try connection.run(
                """
                UPDATE fences SET version = ?, expires_ms = ?, document = ?, content_hash = ?,
                    tag = ?, latitude = ?, longitude = ?, reach_m = ?, is_outline = ? WHERE id = ?
                """, values: content + [old.rowID])
        } else {
            try connection.run(
                """
                INSERT INTO fences (version, expires_ms, document, content_hash, tag, latitude,
                    longitude, reach_m, is_outline, workspace, fence_id, created_ms)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                values: content + [workspace, draft.id, createdAt.millisecondsSince1970])
        }
        let rowID = old?.rowID ?? connection.lastInsertRowID
        try setAudience(draft.audience?.members ?? [], ofFence: rowID, on: connection)
        return Place(rowID: rowID, outcome: old == nil ? .created : .updated)
    }

    /// Whom a fence is for; without members, everybody.
    static func setAudience(
        _ members: [String], ofFence rowID: Int64, on connection: Connection
    ) throws(SQLiteError) {
        try connection.run("DELETE FROM fence_audience WHERE fence = ?", rowID)
        for member in members {
            try connection.run(
                "INSERT INTO fence_audience (fence, member) VALUES (?, ?)", rowID, member)
        }
        try connection.run(
            "UPDATE fences SET restricted = ? WHERE id = ?", !members.isEmpty, rowID)
    }

    static func checkSize(of document: [UInt8], id: String) throws(StoreError) {
        guard document.count <= FenceLimits.documentBytes else {
            throw .limit(.bytesOfFence(FenceLimits.documentBytes, id: id))
        }
    }

    /// What entity tags know a document by.
    static func tag(of document: [UInt8]) throws -> Int64 {
        try SHA256.digest(of: document).prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    private static func delete(
        _ id: String, of workspace: Int64, on connection: Connection
    ) throws -> Bool {
        guard let old = try existing(id, of: workspace, on: connection) else { return false }
        try connection.run("DELETE FROM fences WHERE id = ?", old.rowID)
        return true
    }

    public func configuration(
        of workspace: Int64, at commit: Int?
    ) throws(StoreError) -> StoredConfiguration {
        let found = try configurations.value(workspace, at: number(commit)) {
            () throws(StoreError) in
            try readers.read { try Self.configuration(of: workspace, on: $0) }
        }
        return found ?? StoredConfiguration(revision: 0, document: nil)
    }

    static func configuration(
        of workspace: Int64, on connection: Connection
    ) throws -> StoredConfiguration {
        let found = try connection.first(
            "SELECT config_revision, config FROM workspaces WHERE id = ?", workspace
        ) { StoredConfiguration(revision: $0.int(0), document: $0.optionalBlob(1)) }
        return found ?? StoredConfiguration(revision: 0, document: nil)
    }

    public func putConfiguration(
        _ document: [UInt8], of workspace: Int64
    ) throws(StoreError) -> StoredConfiguration {
        try writer.write { connection in
            let old = try Self.configuration(of: workspace, on: connection)
            if old.document == document { return old }
            try connection.run(
                "UPDATE workspaces SET config_revision = ?, config = ? WHERE id = ?",
                old.revision + 1, document, workspace)
            return StoredConfiguration(revision: old.revision + 1, document: document)
        }
    }
}
