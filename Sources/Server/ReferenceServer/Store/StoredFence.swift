import Geodesy
import Timekeeping

/// A fence as it is kept: the bytes of its wire form, made once when it was written.
public struct StoredFence: Hashable, Sendable {
    public var id: String
    public var version: Int
    /// A JSON object without `distance_m`.
    public var document: [UInt8]
    /// First 8 bytes of the SHA-256 of `document`, for entity tags.
    public var tag: Int64
}

/// A fence that has been checked and is ready to be written.
public struct FenceDraft: Sendable {
    public var id: String
    public var shape: PreparedShape
    /// Nil: never.
    public var expiresAt: UTCTime?
    /// The wire form without version and time of creation, which the store decides on.
    public var wire: FenceWireForm
    /// The campaigns that it is to carry, and no others; nil: those that it does.
    public var campaigns: [CampaignDraft]?
    /// Nil: everybody.
    public var audience: FenceAudience?

    public init(
        id: String, shape: PreparedShape, expiresAt: UTCTime?, wire: FenceWireForm,
        campaigns: [CampaignDraft]? = nil, audience: FenceAudience? = nil
    ) {
        self.id = id
        self.shape = shape
        self.expiresAt = expiresAt
        self.wire = wire
        self.campaigns = campaigns
        self.audience = audience
    }
}

/// What became of each fence of a set that was written.
public struct FenceChanges: Hashable, Sendable {
    public var created: [String] = []
    public var updated: [String] = []
    public var unchanged: [String] = []
    public var deleted: [String] = []
    /// Fences that the workspace has now.
    public var total = 0

    public init() {}
}

/// The answer to a question for fences, before it is cut to size.
public struct NearestFences: Sendable {
    /// Ascending by edge distance, ties by id.
    public var fences: [Ranked]
    /// Edge distance of the nearest fence that is not in the list, metres; nil: all are.
    public var nextDistanceMeters: Double?

    public init(fences: [Ranked], nextDistanceMeters: Double?) {
        self.fences = fences
        self.nextDistanceMeters = nextDistanceMeters
    }

    public struct Ranked: Hashable, Sendable {
        public var fence: StoredFence
        /// 0 inside.
        public var distanceMeters: Double

        public init(fence: StoredFence, distanceMeters: Double) {
            self.fence = fence
            self.distanceMeters = distanceMeters
        }
    }
}

/// A workspace's say in how its agents work.
public struct StoredConfiguration: Hashable, Sendable {
    /// Counts every change.
    public var revision: Int
    /// JSON object with what was set; nil: nothing was.
    public var document: [UInt8]?

    public init(revision: Int, document: [UInt8]?) {
        self.revision = revision
        self.document = document
    }
}
