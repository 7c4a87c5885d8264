/// A coordinate together with its place in space, so that many distances from it cost no
/// trigonometry: make one of a fix, measure it against many fences.
public struct SurfacePoint: Sendable {
    public let coordinate: Coordinate
    let space: SpacePoint

    public init(_ coordinate: Coordinate) {
        var neighborhood = SurfaceNeighborhood()
        self.init(coordinate, near: &neighborhood)
    }

    /// The same, to the last bit, and faster where the point before was made nearby.
    public init(_ coordinate: Coordinate, near neighborhood: inout SurfaceNeighborhood) {
        self.coordinate = coordinate
        let (sine, cosine) = neighborhood.latitude.sineAndCosine(degrees: coordinate.latitude)
        let (sineEast, cosineEast) = neighborhood.longitude.sineAndCosine(
            degrees: coordinate.longitude)
        let transverse = Ellipsoid.radii(sineSquared: sine * sine).transverse
        space = SpacePoint(
            x: transverse * cosine * cosineEast, y: transverse * cosine * sineEast,
            z: transverse * (1 - Ellipsoid.eccentricitySquared) * sine,
            latitude: coordinate.latitude * .radiansPerDegree)
    }

    /// Metres along the surface, 0 or more; see `Coordinate.distance(to:)`.
    public func distance(to other: SurfacePoint) -> Double {
        space.distance(to: other.space)
    }

    var x: Double { space.x }
    var y: Double { space.y }
    var z: Double { space.z }
    /// Radians.
    var latitude: Double { space.latitude }

    /// The straight line through the Earth, squared, square metres.
    func chordSquared(to other: SurfacePoint) -> Double { space.chordSquared(to: other.space) }
}
