/// Sixteen boxes side by side, measured all at once.
struct GroundNode: Sendable {
    static let fanOut = 16

    private var lowX = Self.nowhere
    private var lowY = Self.nowhere
    private var lowZ = Self.nowhere
    private var highX = -Self.nowhere
    private var highY = -Self.nowhere
    private var highZ = -Self.nowhere

    /// Of a child that is not there.
    private static let nowhere = SIMD16<Float>(repeating: .infinity)

    init() {}

    mutating func set(_ child: Int, to box: NormalBox) {
        lowX[child] = box.low.x
        lowY[child] = box.low.y
        lowZ[child] = box.low.z
        highX[child] = box.high.x
        highY[child] = box.high.y
        highZ[child] = box.high.z
    }

    /// For each box the square of an angle in radians, nearer than which nothing in it lies;
    /// infinite for one that is not there.
    @inline(__always)
    func bounds(from normal: SurfaceNormal) -> SIMD16<Float> {
        let (x, y, z) = (Float(normal.x), Float(normal.y), Float(normal.z))
        let zero = SIMD16<Float>()
        let dx = Self.greater(zero, Self.greater(lowX - x, x - highX))
        let dy = Self.greater(zero, Self.greater(lowY - y, y - highY))
        let dz = Self.greater(zero, Self.greater(lowZ - z, z - highZ))
        return (dx * dx + dy * dy + dz * dz) * Self.rounding
    }

    @inline(__always)
    private static func greater(_ one: SIMD16<Float>, _ other: SIMD16<Float>) -> SIMD16<Float> {
        one.replacing(with: other, where: other .> one)
    }

    /// Squares and sums may be too large by less.
    private static let rounding: Float = 0.999_998
}
