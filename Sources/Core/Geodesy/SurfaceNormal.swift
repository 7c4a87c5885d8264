import Glibc

/// The direction of the plumb line at a place, a point of the unit sphere.
///
/// On this sphere there is no antimeridian and no pole, and angles between normals bound the
/// distances of `SurfaceArc` from below: see `boundLimit`.
struct SurfaceNormal: Hashable, Sendable {
    let x, y, z: Double

    init(_ point: SpacePoint) {
        let up = point.z / (1 - Ellipsoid.eccentricitySquared)
        let scale = 1 / (point.x * point.x + point.y * point.y + up * up).squareRoot()
        x = point.x * scale
        y = point.y * scale
        z = up * scale
    }

    /// The straight line between the two on the unit sphere, squared.
    @inline(__always)
    func chordSquared(to other: SurfaceNormal) -> Double {
        let dx = other.x - x
        let dy = other.y - y
        let dz = other.z - z
        return dx * dx + dy * dy + dz * dz
    }

    /// Radians, from the squared chord between two normals.
    @inline(__always)
    static func angle(chordSquared: Double) -> Double {
        let chord = chordSquared.squareRoot()
        // The arc is never shorter than its chord; nearby it is longer by less than 1 in 10,000.
        return chord < 0.05 ? chord : 2 * asin(min(1, chord / 2))
    }

    /// The square of an angle in radians: normals that differ by more belong to places that are
    /// farther apart than so many metres.
    ///
    /// A way of s metres turns the normal by at most s divided by the least radius of curvature,
    /// 6,335,439 m along the meridian at the equator; the difference to the rate here is more than
    /// what `SurfaceArc` is off by.
    @inline(__always)
    static func boundLimit(meters: Double) -> Float {
        let angle = (meters + marginMeters) / metersPerRadian
        return Float(angle * angle).nextUp
    }

    /// The least that a radian of turning is worth.
    static let metersPerRadian = 6_335_000.0
    /// For rounding.
    private static let marginMeters = 0.01
}
