import Glibc

/// A range of latitudes and longitudes that holds a shape, for a spatial index.
public struct BoundingBox: Hashable, Sendable {
    /// Degrees, -90 ... 90.
    public let south, north: Double
    /// Degrees, -180 ..< 180.
    public let west: Double
    /// Degrees, `west` ... `west` + 360; above 180 for a box across the antimeridian.
    public let east: Double

    /// Longitudes on one line; 360 degrees wide or more: all the way round.
    init(south: Double, north: Double, west: Double, east: Double) {
        self.south = max(-90, south)
        self.north = min(90, north)
        if east - west >= 360 {
            self.west = -180
            self.east = 180
        } else {
            let shift = 360 * ((west + 180) / 360).rounded(.down)
            self.west = west - shift
            self.east = east - shift
        }
    }

    /// Everything within a distance of a place, and a little more.
    public init(center: Coordinate, radiusMeters: Double) {
        let radius = max(0, radiusMeters) * 1.000_01 + 0.01
        let sphere = Ellipsoid.semiMajorAxisMeters * (1 - Ellipsoid.eccentricitySquared)
        let angle = radius / sphere
        let height = angle / .radiansPerDegree
        let south = center.latitude - height
        let north = center.latitude + height
        let cosine = cos(center.latitude * .radiansPerDegree)
        guard south > -90, north < 90, angle < .pi / 2, sin(angle) < cosine else {
            self.init(south: south, north: north, west: -180, east: 180)
            return
        }
        let width = asin(sin(angle) / cosine) / .radiansPerDegree
        self.init(
            south: south, north: north, west: center.longitude - width,
            east: center.longitude + width)
    }

    /// The same ground as one or two boxes with longitudes within -180 ... 180.
    public var pieces: [(west: Double, south: Double, east: Double, north: Double)] {
        if east <= 180 { return [(west, south, east, north)] }
        return [(west, south, 180, north), (-180, south, east - 360, north)]
    }

    public func contains(_ coordinate: Coordinate) -> Bool {
        guard coordinate.latitude >= south, coordinate.latitude <= north else { return false }
        let longitude = coordinate.longitude
        return (longitude >= west && longitude <= east)
            || (longitude + 360 >= west && longitude + 360 <= east)
    }
}
