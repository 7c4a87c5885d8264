import SQLite

/// SQL for the fences that are for somebody.
enum AudienceCondition {
    /// Of `f`, those whose audience names the member, its device or a tag of the device.
    static let isNamed = """
        EXISTS (SELECT 1 FROM fence_audience a WHERE a.fence = f.id AND (a.member IN (?, ?)
            OR a.member IN (SELECT 'tag ' || t.tag FROM device_tags t
                JOIN devices d ON d.id = t.device WHERE d.workspace = ? AND d.device_id = ?)))
        """

    /// The rows of the fences whose audience names the member, its device or a tag of the device, of
    /// any workspace, some more than once.
    static let selectRows = """
        SELECT a.fence FROM fence_audience a WHERE a.member IN (?, ?)
            OR a.member IN (SELECT 'tag ' || t.tag FROM device_tags t
                JOIN devices d ON d.id = t.device WHERE d.workspace = ? AND d.device_id = ?)
        """

    /// What `isNamed` and `selectRows` bind.
    static func values(_ member: FenceAudienceMember, in workspace: Int64) -> [any Bindable] {
        [
            "device \(member.deviceID)", "user \(member.userID ?? "")", workspace, member.deviceID,
        ]
    }
}
