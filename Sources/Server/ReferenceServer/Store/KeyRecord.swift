import Timekeeping

/// What a key may do; raw values stand in its text, "gk_live_...".
public enum KeyScope: String, Hashable, Sendable, CaseIterable {
    case trial
    case live
    case admin

    /// Whether it is for devices rather than for people.
    public var isDevice: Bool { self != .admin }
}

/// A key as the store knows it: its hash, never the key.
public struct KeyRecord: Hashable, Sendable {
    public var id: Int64
    public var workspace: Int64
    public var scope: KeyScope
    /// SHA-256 of the whole text of the key.
    public var hash: [UInt8]
    /// The last four characters, by which a person tells it from others.
    public var lastFour: String
    /// The only device that may use it; nil: every device.
    public var deviceID: String?
    public var createdAt: UTCTime
    public var expiresAt: UTCTime?
    public var revokedAt: UTCTime?

    public var prefix: String { "gk_\(scope.rawValue)_" }
}

/// A key that the store does not have yet.
public struct KeyDraft: Hashable, Sendable {
    public var scope: KeyScope
    public var hash: [UInt8]
    public var lastFour: String
    public var deviceID: String?
    public var expiresAt: UTCTime?
}
