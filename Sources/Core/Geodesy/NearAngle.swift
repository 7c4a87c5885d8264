import Glibc

/// Sine and cosine of an angle in degrees, from those of the nearest 64th of a degree.
///
/// The same angle gives the same bits, kept or not: what is kept is a pure function of the angle,
/// and saves a moving device four calls of the mathematics library for each fix.
struct NearAngle: Hashable, Sendable {
    private static let stepsPerDegree = 64.0

    private var anchorDegrees = 0.0
    private var anchorSine = 0.0
    private var anchorCosine = 1.0

    /// Good to about 2 units in the last place.
    @inline(__always)
    mutating func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
        // Rounded away from zero on both sides, so that a mirrored angle gives mirrored bits.
        let steps = Double(Int(abs(degrees) * Self.stepsPerDegree + 0.5))
        let nearest = degrees < 0 ? -steps / Self.stepsPerDegree : steps / Self.stepsPerDegree
        if nearest != anchorDegrees {
            anchorDegrees = nearest
            anchorSine = sin(nearest * .radiansPerDegree)
            anchorCosine = cos(nearest * .radiansPerDegree)
        }
        // At most 1.4e-4: what the series leave out is below 1e-23.
        let small = (degrees - nearest) * .radiansPerDegree
        let square = small * small
        let sine = small * (1 - square * (1.0 / 6 - square / 120))
        let cosineLoss = square * (0.5 - square / 24)
        return (
            anchorSine + (anchorCosine * sine - anchorSine * cosineLoss),
            anchorCosine - (anchorSine * sine + anchorCosine * cosineLoss)
        )
    }
}

/// What making one surface point can save the next, where the two lie near each other.
public struct SurfaceNeighborhood: Hashable, Sendable {
    var latitude = NearAngle()
    var longitude = NearAngle()

    public init() {}
}
