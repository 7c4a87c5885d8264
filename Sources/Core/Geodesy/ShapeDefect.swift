/// What is wrong with a shape, and where.
public struct ShapeDefect: Hashable, Sendable {
    public var code: Code
    /// Index of the polygon within a MultiPolygon; 0 otherwise.
    public var polygon: Int
    /// Index of the ring within its polygon, 0 the exterior; nil: the shape as a whole.
    public var ring: Int?
    /// Index of the position within its ring; nil: the ring as a whole.
    public var position: Int?
    /// Degrees, as drawn; on a defect of two edges where they meet. Nil: no single place.
    public var longitude: Double?
    public var latitude: Double?

    public init(
        _ code: Code, polygon: Int = 0, ring: Int? = nil, position: Int? = nil,
        longitude: Double? = nil, latitude: Double? = nil
    ) {
        self.code = code
        self.polygon = polygon
        self.ring = ring
        self.position = position
        self.longitude = longitude
        self.latitude = latitude
    }

    /// Raw values are the codes of the server's refusal.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// A latitude beyond 90 or a longitude beyond 180 degrees, or not a number.
        case outOfRange = "out_of_range"
        /// Out of range as given, in range with latitude and longitude exchanged.
        case swappedAxes = "swapped_axes"
        /// A polygon without a ring, or a MultiPolygon without a polygon.
        case empty
        /// Fewer than 4 positions, or fewer than 3 different ones.
        case tooFewPositions = "too_few_positions"
        /// The last position does not repeat the first.
        case unclosed
        /// Two edges cross, overlap, or touch within one ring.
        case selfIntersection = "self_intersection"
        case zeroArea = "zero_area"
        /// No part of a hole lies in the exterior ring: it would be taken for ground.
        case holeOutside = "hole_outside"
        /// Spans more than 180 degrees of longitude.
        case tooWide = "too_wide"
        case holdsPole = "holds_pole"
        /// More than `ShapeLimits.vertices`.
        case tooManyVertices = "too_many_vertices"
        /// Wider than `ShapeLimits.extentMeters`.
        case tooLarge = "too_large"
        /// A circle's radius outside `ShapeLimits.radiusMeters`, or not a number.
        case radiusOutOfRange = "radius_out_of_range"
    }

    /// The defect of a position before it is a `Coordinate`; nil: none.
    public static func ofPosition(
        longitude: Double, latitude: Double, polygon: Int = 0, ring: Int? = nil,
        position: Int? = nil
    ) -> ShapeDefect? {
        guard Coordinate(latitude: latitude, longitude: longitude) == nil else { return nil }
        let isSwapped = Coordinate(latitude: longitude, longitude: latitude) != nil
        return ShapeDefect(
            isSwapped ? .swappedAxes : .outOfRange, polygon: polygon, ring: ring,
            position: position, longitude: longitude, latitude: latitude)
    }
}

/// What a shape may be.
public enum ShapeLimits {
    /// Metres, of a circle.
    public static let radiusMeters = 10.0...100_000.0
    /// Positions of all rings together.
    public static let vertices = 10_000
    /// Metres across, the diameter of the enclosing circle.
    public static let extentMeters = 500_000.0
}

/// Why a shape cannot be measured at all.
public struct ShapeError: Error, Hashable, Sendable {
    /// At least one.
    public var defects: [ShapeDefect]

    public init(_ defects: [ShapeDefect]) {
        self.defects = defects
    }
}

extension ShapeError: CustomStringConvertible {
    public var description: String {
        defects.map(\.description).joined(separator: "; ")
    }
}

extension ShapeDefect: CustomStringConvertible {
    /// Code and place in the shape, "self_intersection in polygon 0, ring 0, position 3". It goes to
    /// journals, so it has no coordinate.
    public var description: String {
        var text = code.rawValue
        if let ring { text += " in polygon \(polygon), ring \(ring)" }
        if let position { text += ", position \(position)" }
        return text
    }

    /// Where on Earth, "lon 13.4, lat 52.5"; nil: no single place.
    public var place: String? {
        guard let longitude, let latitude else { return nil }
        return "lon \(longitude), lat \(latitude)"
    }
}
