import WireFormat

/// What `geofenced fences list --json` prints, schema `geofenced.fences/1`.
public struct FenceList: Codable, Sendable {
    public var schema = "geofenced.fences/1"
    /// `RegionProfile`: whose region monitor is emulated.
    public var profile: String
    /// Fences monitored at most.
    public var limit: Int
    /// Whether regions can be monitored now.
    public var isAvailable: Bool
    /// Why not: no_receiver, no_precise_fix, permission_denied; nil while they can.
    public var unavailableReason: String?
    /// The region around the last sync whose crossing asks for the next one; nil: none.
    public var refreshRadiusMeters: Double?
    /// Fences of the device that are hidden by one of the same id that was given, not in the list.
    public var shadowed: [String]
    /// Nearest first.
    public var fences: [Entry]

    enum CodingKeys: String, CodingKey {
        case schema, profile, limit, shadowed, fences
        case isAvailable = "available"
        case unavailableReason = "unavailable_reason"
        case refreshRadiusMeters = "refresh_radius_m"
    }

    public struct Entry: Codable, Sendable {
        public var id: String
        public var name: String
        /// server | cache | file | device
        public var source: String
        /// unknown | outside | inside
        public var state: String
        /// Metres to the edge, positive inside; nil before the first fix.
        public var signedDistanceMeters: Double?
        public var since: WireTime?
        public var dwelled: Bool
        public var uncertain: Bool
        /// registered; pool: known, but not among the nearest; overflow: inside, but beyond the
        /// limit, its state is frozen.
        public var monitoring: String
        /// Metres, as registered; nil: it is not.
        public var regionRadiusMeters: Double?
        /// as_asked | widened | clamped
        public var regionFit: String?
        /// A circle below twice the accuracy of the last fix.
        public var tooSmallHere: Bool

        enum CodingKeys: String, CodingKey {
            case id, name, source, state, since, dwelled, uncertain, monitoring
            case signedDistanceMeters = "signed_distance_m"
            case regionRadiusMeters = "region_radius_m"
            case regionFit = "region_fit"
            case tooSmallHere = "too_small_here"
        }
    }
}

/// What `geofenced fences add` and `remove` changed, schema `geofenced.fences.change/1`.
public struct FenceListChange: Codable, Sendable, Hashable {
    public var schema = "geofenced.fences.change/1"
    public var added: [String] = []
    public var replaced: [String] = []
    public var removed: [String] = []
    /// Fences of the device after the change.
    public var count = 0
    /// One sentence each.
    public var warnings: [String] = []
}
