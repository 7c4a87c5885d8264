/// A place on the ellipsoid as it lies in space: what distances are computed from.
struct SpacePoint: Hashable, Sendable {
    /// Earth-centred, Earth-fixed, metres, at height 0.
    let x, y, z: Double
    /// Radians.
    let latitude: Double

    /// Metres along the surface, 0 or more; see `Coordinate.distance(to:)`.
    @inline(__always)
    func distance(to other: SpacePoint) -> Double {
        SurfaceArc.length(chordSquared: chordSquared(to: other), self, other)
    }

    /// The straight line through the Earth, squared, square metres.
    @inline(__always)
    func chordSquared(to other: SpacePoint) -> Double {
        let dx = other.x - x
        let dy = other.y - y
        let dz = other.z - z
        return dx * dx + dy * dy + dz * dz
    }
}
