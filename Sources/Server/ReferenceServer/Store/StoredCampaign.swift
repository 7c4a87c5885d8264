import WireFormat

/// A campaign as it is kept.
public struct StoredCampaign: Hashable, Sendable {
    public var id: String
    public var version: Int
    /// Its wire form, a JSON object.
    public var document: [UInt8]
    /// The fences that carry it, in order of id.
    public var fenceIDs: [String]
}

/// A campaign that has been checked and is ready to be written.
public struct CampaignDraft: Hashable, Sendable {
    /// Fences that may carry one campaign.
    public static let fenceLimit = 1_000
    /// Campaigns of a workspace.
    public static let workspaceLimit = 1_000

    public var wire: WireCampaign
    /// The fences that are to carry it, and no others; nil: those that do.
    public var fenceIDs: [String]?

    public init(_ wire: WireCampaign, fenceIDs: [String]?) {
        self.wire = wire
        self.wire.version = nil
        self.fenceIDs = fenceIDs
    }

    public var id: String { wire.id.text }
}
