import Geodesy

/// What the coverage guard keeps over a restart.
public struct CoverageState: Hashable, Sendable {
    /// Where the last successful sync asked from; nil: there was none.
    public var anchor: Anchor?
    /// Edge distance from the anchor to the nearest fence that is not known, metres; nil: all are.
    public var coverageRadiusMeters: Double?
    /// What the server wished, metres and seconds; nil: it did not say.
    public var refreshAfterMeters: Double?
    public var refreshAfterSeconds: Double?
    /// Fences to ask for, `CoverageRules.pools`.
    public var pool = CoverageRules.pools.lowerBound
    /// Between `coverage_lost` and `coverage_restored`.
    public var isLost = false

    public init() {}

    public struct Anchor: Hashable, Sendable {
        public var position: Coordinate
        /// Bound of the position's error, metres.
        public var errorMeters: Double

        public init(position: Coordinate, errorMeters: Double) {
            self.position = position
            self.errorMeters = errorMeters
        }
    }
}

extension CoverageState: Codable {
    private enum CodingKeys: String, CodingKey {
        case anchor
        case coverageRadiusMeters = "coverage_radius_m"
        case refreshAfterMeters = "refresh_after_m"
        case refreshAfterSeconds = "refresh_after_s"
        case pool
        case isLost = "lost"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        anchor = try container.decodeIfPresent(Anchor.self, forKey: .anchor)
        coverageRadiusMeters = try container.decodeIfPresent(
            Double.self, forKey: .coverageRadiusMeters)
        refreshAfterMeters = try container.decodeIfPresent(Double.self, forKey: .refreshAfterMeters)
        refreshAfterSeconds = try container.decodeIfPresent(
            Double.self, forKey: .refreshAfterSeconds)
        let pools = CoverageRules.pools
        let stored = try container.decode(Int.self, forKey: .pool)
        pool = min(max(stored, pools.lowerBound), pools.upperBound)
        isLost = try container.decode(Bool.self, forKey: .isLost)
    }
}

extension CoverageState.Anchor: Codable {
    private enum CodingKeys: String, CodingKey {
        case latitude = "lat"
        case longitude = "lon"
        case errorMeters = "error_m"
    }

    /// Throws for a place that is not on Earth or an error that is not a length.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        errorMeters = try container.decode(Double.self, forKey: .errorMeters)
        guard let position = Coordinate(latitude: latitude, longitude: longitude),
            errorMeters >= 0
        else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "no anchor on Earth"))
        }
        self.position = position
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(position.latitude, forKey: .latitude)
        try container.encode(position.longitude, forKey: .longitude)
        try container.encode(errorMeters, forKey: .errorMeters)
    }
}
