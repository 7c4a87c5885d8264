import SQLite
import Timekeeping
import WireFormat

extension SQLiteServerStore {
    public func campaign(_ id: String, of workspace: Int64) throws(StoreError) -> StoredCampaign? {
        try readers.read { try Self.campaign(id, of: workspace, on: $0) }
    }

    public func campaigns(
        of workspace: Int64, after id: String?, limit: Int
    ) throws(StoreError) -> [StoredCampaign] {
        try readers.read { connection in
            let rows = try connection.query(
                """
                \(Self.selectCampaign) WHERE workspace = ? AND campaign_id > ?
                    ORDER BY campaign_id LIMIT ?
                """, workspace, id ?? "", limit
            ) { Self.campaign($0) }
            return try rows.map { try Self.completed($0, on: connection) }
        }
    }

    public func putCampaign(
        _ draft: CampaignDraft, mustBeNew: Bool, in workspace: Int64, now: UTCTime
    ) throws(StoreError) -> (campaign: StoredCampaign, isNew: Bool) {
        try writeFences { connection in
            let tables = CampaignTables(workspace: workspace, connection: connection)
            let isNew = try Self.campaign(draft.id, of: workspace, on: connection) == nil
            if mustBeNew, !isNew { throw StoreError.conflict(draft.id) }
            let (rowID, isContentChanged) = try tables.put(draft, now: now)
            let before = try tables.fences(carrying: rowID)
            let after =
                try draft.fenceIDs.map {
                    try Self.rowIDs(ofFences: $0, of: workspace, on: connection)
                } ?? before
            for fence in before.subtracting(after) { try tables.unlink(rowID, fence) }
            for fence in after.subtracting(before) { try tables.link(rowID, fence) }
            let affected =
                isContentChanged ? before.union(after) : before.symmetricDifference(after)
            for fence in affected.sorted() { try tables.refresh(fence: fence) }
            if !affected.isEmpty { try Self.announceChange(of: workspace, on: connection) }
            guard let stored = try Self.campaign(draft.id, of: workspace, on: connection) else {
                throw StoreError.failed("campaign '\(draft.id)' was not kept")
            }
            return (stored, isNew)
        }
    }

    public func deleteCampaign(_ id: String, of workspace: Int64) throws(StoreError) -> Bool {
        try writeFences { connection in
            let tables = CampaignTables(workspace: workspace, connection: connection)
            let rowID = try connection.first(
                "SELECT id FROM campaigns WHERE workspace = ? AND campaign_id = ?", workspace, id
            ) { $0.int64(0) }
            guard let rowID else { return false }
            let fences = try tables.fences(carrying: rowID)
            for fence in fences { try tables.unlink(rowID, fence) }
            for fence in fences.sorted() { try tables.refresh(fence: fence) }
            try connection.run("DELETE FROM campaigns WHERE id = ?", rowID)
            if !fences.isEmpty { try Self.announceChange(of: workspace, on: connection) }
            return true
        }
    }

    private static func rowIDs(
        ofFences ids: [String], of workspace: Int64, on connection: Connection
    ) throws -> Set<Int64> {
        var rowIDs: Set<Int64> = []
        for (index, id) in ids.enumerated() {
            let rowID = try connection.first(
                "SELECT id FROM fences WHERE workspace = ? AND fence_id = ?", workspace, id
            ) { $0.int64(0) }
            guard let rowID else { throw StoreError.unknownFence(index: index) }
            rowIDs.insert(rowID)
        }
        return rowIDs
    }

    private static let selectCampaign =
        "SELECT id, campaign_id, version, document FROM campaigns"

    private static func campaign(
        _ id: String, of workspace: Int64, on connection: Connection
    ) throws -> StoredCampaign? {
        let row = try connection.first(
            "\(selectCampaign) WHERE workspace = ? AND campaign_id = ?", workspace, id
        ) { campaign($0) }
        return try row.map { try completed($0, on: connection) }
    }

    private static func campaign(
        _ row: borrowing Row
    ) -> (rowID: Int64, campaign: StoredCampaign) {
        (
            row.int64(0),
            StoredCampaign(
                id: row.text(1), version: row.int(2), document: row.blob(3), fenceIDs: [])
        )
    }

    private static func completed(
        _ row: (rowID: Int64, campaign: StoredCampaign), on connection: Connection
    ) throws -> StoredCampaign {
        var campaign = row.campaign
        campaign.fenceIDs = try connection.query(
            """
            SELECT f.fence_id FROM campaign_fences l JOIN fences f ON f.id = l.fence
                WHERE l.campaign = ? ORDER BY f.fence_id
            """, row.rowID
        ) { $0.text(0) }
        return campaign
    }
}
