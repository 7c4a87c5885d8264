import Glibc

/// A coordinate together with its place in space, so that many distances from it cost no
/// trigonometry: make one of a fix, measure it against many fences.
public struct SurfacePoint: Sendable {
    public let coordinate: Coordinate
    /// Earth-centred, Earth-fixed, metres, at height 0.
    let x, y, z: Double
    /// Radians.
    let latitude: Double

    public init(_ coordinate: Coordinate) {
        self.coordinate = coordinate
        latitude = coordinate.latitude * .radiansPerDegree
        let longitude = coordinate.longitude * .radiansPerDegree
        let sine = sin(latitude)
        let cosine = cos(latitude)
        let transverse = Ellipsoid.radii(sineSquared: sine * sine).transverse
        x = transverse * cosine * cos(longitude)
        y = transverse * cosine * sin(longitude)
        z = transverse * (1 - Ellipsoid.eccentricitySquared) * sine
    }

    /// Metres along the surface, 0 or more; see `Coordinate.distance(to:)`.
    public func distance(to other: SurfacePoint) -> Double {
        SurfaceArc.length(chordSquared: chordSquared(to: other), self, other)
    }

    /// The straight line through the Earth, squared, square metres.
    func chordSquared(to other: SurfacePoint) -> Double {
        let dx = other.x - x
        let dy = other.y - y
        let dz = other.z - z
        return dx * dx + dy * dy + dz * dz
    }
}
