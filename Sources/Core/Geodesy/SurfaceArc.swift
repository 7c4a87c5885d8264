import Glibc

/// From the chord between two points to the length of the way over the surface.
///
/// Chord and arc differ by arc^3 / (24 R^2), 1 mm at 10 km, so the radius hardly matters nearby.
/// Farther away R is the ellipsoid's radius at mid-latitude in the direction of the chord
/// (Euler's formula); across continents it is a great circle of the mean sphere, good to 0.56 %.
/// Between the two the length changes over smoothly, so that it never jumps.
enum SurfaceArc {
    /// Metres. Up to here the mean radius is exact to 2 mm.
    static let nearMeters = 50_000.0
    /// Metres. Up to the lower bound mid-latitude, from the upper on the great circle.
    static let changeover = 1_000_000.0...2_000_000.0

    @inline(__always)
    static func length(
        chordSquared: Double, _ first: SpacePoint, _ second: SpacePoint
    ) -> Double {
        let chord = chordSquared.squareRoot()
        if chord < nearMeters {
            let radius = Ellipsoid.meanRadiusMeters
            return chord * (1 + chordSquared / (24 * radius * radius))
        }
        return farLength(chord: chord, first, second)
    }

    private static func farLength(
        chord: Double, _ first: SpacePoint, _ second: SpacePoint
    ) -> Double {
        if chord >= changeover.upperBound { return greatCircle(first, second) }
        let near = midLatitude(chord: chord, first.latitude, second.latitude)
        let width = changeover.upperBound - changeover.lowerBound
        let share = (chord - changeover.lowerBound) / width
        return share <= 0 ? near : (1 - share) * near + share * greatCircle(first, second)
    }

    private static func midLatitude(chord: Double, _ first: Double, _ second: Double) -> Double {
        let sine = sin((first + second) / 2)
        let (meridional, transverse) = Ellipsoid.radii(sineSquared: sine * sine)
        let northward = min(1, abs(meridional * (second - first) / chord))
        let share = northward * northward
        let radius = 1 / (share / meridional + (1 - share) / transverse)
        return 2 * radius * asin(min(1, chord / (2 * radius)))
    }

    /// The angle between the plumb lines, which stays exact at the antipode.
    private static func greatCircle(_ first: SpacePoint, _ second: SpacePoint) -> Double {
        let stretch = 1 / (1 - Ellipsoid.eccentricitySquared)
        let z1 = first.z * stretch
        let z2 = second.z * stretch
        let dot = first.x * second.x + first.y * second.y + z1 * z2
        let cx = first.y * z2 - z1 * second.y
        let cy = z1 * second.x - first.x * z2
        let cz = first.x * second.y - first.y * second.x
        let cross = (cx * cx + cy * cy + cz * cz).squareRoot()
        return Ellipsoid.meanRadiusMeters * atan2(cross, dot)
    }
}
