import Cryptography
import SQLite
import Timekeeping
import WireFormat

/// Writes campaigns, and the fences that carry them, within the transaction of a writer.
///
/// A fence's document holds its campaigns, so that an answer is made of bytes that are ready: what
/// changes a campaign or who carries it makes those documents anew. The fence's own version stays,
/// as the campaign has one.
struct CampaignTables {
    let workspace: Int64
    let connection: Connection

    /// Makes or replaces a campaign; whether that changed anything.
    func put(_ draft: CampaignDraft, now: UTCTime) throws -> (rowID: Int64, isChanged: Bool) {
        let hash = try SHA256.digest(of: WireCoding.encode(draft.wire))
        let old = try connection.first(
            """
            SELECT id, version, content_hash FROM campaigns
                WHERE workspace = ? AND campaign_id = ?
            """, workspace, draft.id
        ) { (rowID: $0.int64(0), version: $0.int(1), hash: $0.blob(2)) }
        if let old, old.hash == hash { return (old.rowID, false) }
        var wire = draft.wire
        wire.version = (old?.version ?? 0) + 1
        let document = try WireCoding.encode(wire)
        if let old {
            try connection.run(
                "UPDATE campaigns SET version = ?, document = ?, content_hash = ? WHERE id = ?",
                wire.version, document, hash, old.rowID)
            return (old.rowID, true)
        }
        let count = try connection.first(
            "SELECT count(*) FROM campaigns WHERE workspace = ?", workspace
        ) { $0.int(0) }
        if (count ?? 0) >= CampaignDraft.workspaceLimit {
            throw StoreError.limit(.campaigns(CampaignDraft.workspaceLimit))
        }
        let all = try connection.query(
            "SELECT campaign_id FROM campaigns WHERE workspace = ?", workspace
        ) { $0.text(0) }
        if let other = ExactText.otherSpelling(of: [draft.id], among: all) {
            throw StoreError.conflict(other)
        }
        try connection.run(
            """
            INSERT INTO campaigns (workspace, campaign_id, version, created_ms, document,
                content_hash) VALUES (?, ?, ?, ?, ?, ?)
            """, workspace, draft.id, wire.version, now.millisecondsSince1970, document, hash)
        return (connection.lastInsertRowID, true)
    }

    /// Row ids of the fences that carry a campaign.
    func fences(carrying campaign: Int64) throws -> Set<Int64> {
        Set(
            try connection.query(
                "SELECT fence FROM campaign_fences WHERE campaign = ?", campaign
            ) { $0.int64(0) })
    }

    /// Row ids of the campaigns that a fence carries.
    func campaigns(of fence: Int64) throws -> Set<Int64> {
        Set(
            try connection.query(
                "SELECT campaign FROM campaign_fences WHERE fence = ?", fence
            ) { $0.int64(0) })
    }

    func link(_ campaign: Int64, _ fence: Int64) throws {
        try connection.run(
            "INSERT INTO campaign_fences (campaign, fence) VALUES (?, ?) ON CONFLICT DO NOTHING",
            campaign, fence)
    }

    func unlink(_ campaign: Int64, _ fence: Int64) throws {
        try connection.run(
            "DELETE FROM campaign_fences WHERE campaign = ? AND fence = ?", campaign, fence)
    }

    /// Makes the document of a fence anew from its own content and its campaigns.
    func refresh(fence rowID: Int64) throws {
        let stored = try connection.first("SELECT document FROM fences WHERE id = ?", rowID) {
            $0.blob(0)
        }
        guard let stored else { return }
        let campaigns = try connection.query(
            """
            SELECT c.document FROM campaign_fences l JOIN campaigns c ON c.id = l.campaign
                WHERE l.fence = ? ORDER BY c.campaign_id
            """, rowID
        ) { $0.blob(0) }
        guard campaigns.count <= FenceLimits.campaigns else {
            throw StoreError.limit(.campaignsOfFence(FenceLimits.campaigns))
        }
        var wire = try WireCoding.decode(WireFence.self, from: stored)
        wire.campaigns = try campaigns.map { try WireCoding.decode(JSONValue.self, from: $0) }
        if campaigns.isEmpty { wire.campaigns = nil }
        let document = try WireCoding.encode(wire)
        guard document != stored else { return }
        try SQLiteServerStore.checkSize(of: document, id: wire.id.text)
        try connection.run(
            "UPDATE fences SET document = ?, tag = ? WHERE id = ?", document,
            try SQLiteServerStore.tag(of: document), rowID)
    }
}
