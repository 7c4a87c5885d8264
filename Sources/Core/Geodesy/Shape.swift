/// The outline of a fence as it was drawn, before it is prepared for measuring.
public enum Shape: Hashable, Sendable {
    case circle(center: Coordinate, radiusMeters: Double)
    case polygon(Polygon)
    case multiPolygon([Polygon])
}

/// A GeoJSON polygon (RFC 7946 section 3.1.6): one exterior ring and holes. Winding is not trusted.
public struct Polygon: Hashable, Sendable {
    /// The exterior ring first. Each ring is closed: its last position repeats its first.
    public var rings: [[Coordinate]]

    public init(rings: [[Coordinate]]) {
        self.rings = rings
    }
}
