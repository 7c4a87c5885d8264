/// A coordinate together with its place in space, so that many distances from it cost no
/// trigonometry: make one of a fix, measure it against many fences.
public struct SurfacePoint: Sendable {
    public let coordinate: Coordinate
    /// Earth-centred, Earth-fixed, metres, at height 0.
    let x, y, z: Double
    /// Radians.
    let latitude: Double

    public init(_ coordinate: Coordinate) {
        var neighborhood = SurfaceNeighborhood()
        self.init(coordinate, near: &neighborhood)
    }

    /// The same, to the last bit, and faster where the point before was made nearby.
    public init(_ coordinate: Coordinate, near neighborhood: inout SurfaceNeighborhood) {
        self.coordinate = coordinate
        latitude = coordinate.latitude * .radiansPerDegree
        let (sine, cosine) = neighborhood.latitude.sineAndCosine(degrees: coordinate.latitude)
        let (sineEast, cosineEast) = neighborhood.longitude.sineAndCosine(
            degrees: coordinate.longitude)
        let transverse = Ellipsoid.radii(sineSquared: sine * sine).transverse
        x = transverse * cosine * cosineEast
        y = transverse * cosine * sineEast
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
