import Timekeeping

/// Follows, while fences are written, which of them carry other campaigns than before.
struct CampaignCarriage {
    private let tables: CampaignTables
    private let now: UTCTime
    /// Fences whose document has to be made anew.
    private var stale: Set<Int64> = []

    init(_ tables: CampaignTables, now: UTCTime) {
        self.tables = tables
        self.now = now
    }

    /// Writes the campaigns that come with a fence, after the fence itself.
    mutating func carry(_ draft: FenceDraft, on place: SQLiteServerStore.Place) throws {
        let fence = place.rowID
        let before = place.outcome == .created ? [] : try tables.campaigns(of: fence)
        var after = before
        if let campaigns = draft.campaigns {
            after = []
            for campaign in campaigns {
                let (rowID, isChanged) = try tables.put(campaign, now: now)
                after.insert(rowID)
                if isChanged { stale.formUnion(try tables.fences(carrying: rowID)) }
            }
            for campaign in before.subtracting(after) { try tables.unlink(campaign, fence) }
            for campaign in after.subtracting(before) { try tables.link(campaign, fence) }
            if before != after { stale.insert(fence) }
        }
        // A fence that was written is without its campaigns now.
        if place.outcome != .unchanged, !after.isEmpty { stale.insert(fence) }
    }

    func isChanged(_ fence: Int64) -> Bool { stale.contains(fence) }

    func finish() throws {
        for fence in stale.sorted() { try tables.refresh(fence: fence) }
    }
}
