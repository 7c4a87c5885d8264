import Geodesy

/// Emulates the region monitor of an operating system: a table of identifiers with a cap.
///
/// It answers as the system would and says what changed as values; it evaluates nothing.
public struct RegionMonitor: Sendable {
    /// The identifier of the region around the place of the last sync.
    public static let refreshIdentifier = "geofenced.refresh"

    public let profile: RegionProfile
    public private(set) var availability: Availability = .available
    private var table: [String: Region] = [:]

    public init(profile: RegionProfile) {
        self.profile = profile
    }

    /// What is registered, in order of identifier.
    public var regions: [Region] { table.values.sorted { $0.identifier < $1.identifier } }

    public subscript(identifier: String) -> Region? { table[identifier] }

    /// Registers a region; one with the same identifier is replaced.
    public mutating func register(
        _ identifier: String, around circle: EnclosingCircle
    ) throws(RegionError) -> RegionChange {
        if case .unavailable(let reason) = availability { throw .unavailable(reason) }
        guard circle.radiusMeters.isFinite, circle.radiusMeters >= 0 else {
            throw .radiusInvalid(identifier: identifier, radiusMeters: circle.radiusMeters)
        }
        guard table[identifier] != nil || table.count < profile.regionCap else {
            throw .beyondCap(identifier: identifier, cap: profile.regionCap)
        }
        let region = region(identifier, around: circle)
        table[identifier] = region
        return .registered(region)
    }

    /// The region that registering would make of a circle.
    public func region(_ identifier: String, around circle: EnclosingCircle) -> Region {
        Region(identifier, around: circle, profile: profile)
    }

    /// Nil where nothing of that identifier was registered.
    public mutating func unregister(_ identifier: String) -> RegionChange? {
        table.removeValue(forKey: identifier).map { .unregistered($0) }
    }

    /// Becoming unavailable keeps the table: regions are monitored again when the reason is gone.
    public mutating func setAvailability(_ availability: Availability) {
        self.availability = availability
    }

    public enum Availability: Hashable, Sendable {
        case available
        case unavailable(Reason)
    }

    /// Why nothing can be monitored.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case noReceiver = "no_receiver"
        case noPreciseFix = "no_precise_fix"
        case permissionDenied = "permission_denied"
    }
}

/// A circle that is registered with the region monitor.
public struct Region: Hashable, Sendable {
    public let identifier: String
    public let center: Coordinate
    /// Metres, as registered.
    public let radiusMeters: Double
    /// What became of the radius that was asked for.
    public let fit: Fit

    init(_ identifier: String, around circle: EnclosingCircle, profile: RegionProfile) {
        self.identifier = identifier
        center = circle.center
        if circle.radiusMeters > RegionProfile.maximumRadiusMeters {
            radiusMeters = RegionProfile.maximumRadiusMeters
            fit = .clamped
        } else if circle.radiusMeters < profile.minimumRadiusMeters {
            radiusMeters = profile.minimumRadiusMeters
            fit = .widened
        } else {
            radiusMeters = circle.radiusMeters
            fit = .asAsked
        }
    }

    public enum Fit: String, Hashable, Sendable {
        case asAsked = "as_asked"
        /// Smaller than the profile can monitor.
        case widened
        /// Larger than the greatest monitored distance.
        case clamped
    }
}

/// What happened to a region: `registered` and `unregistered` of the local stream.
public enum RegionChange: Hashable, Sendable {
    case registered(Region)
    case unregistered(Region)
}

/// Why a region was refused: `error` of the local stream.
public enum RegionError: Error, Hashable, Sendable {
    /// The table is full.
    case beyondCap(identifier: String, cap: Int)
    case radiusInvalid(identifier: String, radiusMeters: Double)
    case unavailable(RegionMonitor.Reason)
}

extension RegionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .beyondCap(let identifier, let cap):
            "region \(identifier) refused: \(cap) regions are monitored already"
        case .radiusInvalid(let identifier, let radius):
            "region \(identifier) refused: a radius of \(radius) m"
        case .unavailable(let reason): "monitoring is unavailable: \(reason.rawValue)"
        }
    }
}
