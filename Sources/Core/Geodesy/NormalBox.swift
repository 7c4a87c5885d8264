/// An upright box in the space of normals, rounded outwards.
struct NormalBox: Sendable {
    private(set) var low = SIMD4<Float>(repeating: .infinity)
    private(set) var high = SIMD4<Float>(repeating: -.infinity)

    /// What a box is wider by than what it holds, radians: more than Float leaves of a normal and of
    /// the distance to it.
    private static let margin = 3e-7

    init() {}

    /// `reach`: radians, which are more than the chord.
    mutating func extend(to normal: SurfaceNormal, reach: Double) {
        let wide = reach + Self.margin
        let place = SIMD4(normal.x, normal.y, normal.z, 0)
        low = pointwiseMin(low, SIMD4<Float>(place - wide))
        high = pointwiseMax(high, SIMD4<Float>(place + wide))
    }

    mutating func extend(to other: NormalBox) {
        low = pointwiseMin(low, other.low)
        high = pointwiseMax(high, other.high)
    }
}
