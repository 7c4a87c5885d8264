import Geodesy

/// What the index in memory knows of one fence.
struct FenceEntry: Sendable {
    /// Of the store; never used again.
    var rowID: Int64
    var id: String
    /// Belongs to one content of the row.
    var tag: Int64
    /// Milliseconds since 1970; nil: never.
    var expiresMilliseconds: Int64?
    /// Whether it is for those alone whom its audience names.
    var isRestricted: Bool
    var ground: PackedGround
}
