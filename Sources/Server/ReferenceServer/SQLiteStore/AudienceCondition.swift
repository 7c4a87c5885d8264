import SQLite

/// SQL for the fences that are for somebody.
enum AudienceCondition {
    /// Of `f`, those whose audience names the member, its device or a tag of the device.
    static let isNamed = """
        EXISTS (SELECT 1 FROM fence_audience a WHERE a.fence = f.id AND (a.member IN (?, ?)
            OR a.member IN (SELECT 'tag ' || t.tag FROM device_tags t
                JOIN devices d ON d.id = t.device WHERE d.workspace = ? AND d.device_id = ?)))
        """

    /// Of `f`, those that are for everybody or name the member.
    static let isFor = "(NOT f.restricted OR \(isNamed))"

    /// What `isNamed` and `isFor` bind.
    static func values(_ member: FenceAudienceMember, in workspace: Int64) -> [any Bindable] {
        [
            "device \(member.deviceID)", "user \(member.userID ?? "")", workspace, member.deviceID,
        ]
    }
}
