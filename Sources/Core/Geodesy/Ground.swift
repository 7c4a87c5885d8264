/// The ground that a shape takes, small enough to be kept for a million shapes: a circle exactly,
/// an outline as a circle that is nearer than it from everywhere.
public struct Ground: Hashable, Sendable {
    public var center: Coordinate
    /// Metres. Of a circle its radius; an outline's edge distance from any place is never less than
    /// the bound that an index takes from centre and reach.
    public var reachMeters: Double
    /// Whether the shape itself has to be measured.
    public var isOutline: Bool

    public init(center: Coordinate, reachMeters: Double, isOutline: Bool) {
        self.center = center
        self.reachMeters = reachMeters
        self.isOutline = isOutline
    }
}

/// A ground laid out for an index, 40 bytes.
public struct PackedGround: Sendable {
    let place: SpacePoint
    /// Metres; negative for an outline.
    private let signedReach: Double

    public init(_ ground: Ground) {
        var neighborhood = SurfaceNeighborhood()
        self.init(ground, near: &neighborhood)
    }

    /// The same, faster where the ground before was nearby.
    public init(_ ground: Ground, near neighborhood: inout SurfaceNeighborhood) {
        place = SurfacePoint(ground.center, near: &neighborhood).space
        // NaN and what is below zero reach nothing.
        let reach = max(0, ground.reachMeters)
        signedReach = ground.isOutline ? -max(reach, .leastNonzeroMagnitude) : reach
    }

    var isOutline: Bool { signedReach < 0 }

    /// Radians around the centre in which everything lies.
    var reachAngle: Double { abs(signedReach) / SurfaceNormal.metersPerRadian }

    /// Metres from a place to a circle, 0 inside: to the last bit what its `PreparedShape` says.
    @inline(__always)
    func circleDistance(to point: SpacePoint) -> Double {
        max(0, -(signedReach - place.distance(to: point)))
    }

    /// As `circleDistance`; nil for an outline.
    public func circleDistance(to point: SurfacePoint) -> Double? {
        isOutline ? nil : circleDistance(to: point.space)
    }

    /// 0 for a circle that surely is farther than so many metres, 1 for others and outlines. Comparing
    /// squared chords takes no root.
    @inline(__always)
    func mayBeNear(within meters: Double, of point: SpacePoint) -> UInt32 {
        let reach = (meters + signedReach) * Self.chordShare
        let isFar = place.chordSquared(to: point) > reach * reach
        return isFar && signedReach >= 0 ? 0 : 1
    }

    /// No chord is longer than so many times its `SurfaceArc`: up to 1,000 km it is shorter; from 2,000 km
    /// on the great circle is up to 0.56 % shorter than the way, which near the poles is more than a
    /// chord of that length saves.
    private static let chordShare = 1.005

    /// The square of an angle in radians, nearer than which nothing of the outline lies.
    func outlineBound(from normal: SurfaceNormal) -> Float {
        let chord = SurfaceNormal(place).chordSquared(to: normal).squareRoot()
        let angle = max(0, chord - reachAngle)
        // Rounded down by more than Float rounds up.
        return Float(angle * angle) * 0.999_999
    }
}
