/// Grounds packed for the question "which are nearest?": an immutable tree without pointers.
///
/// Grounds lie along a Hilbert curve on the sides of a cube, sixteen to a leaf; sixteen boxes of one
/// level share a box of the next. Boxes are of normals in space, so that neither antimeridian nor
/// poles are special. A box reaches every normal of the ground below it.
public struct GroundTree: Sendable {
    /// Along the curve.
    public let grounds: ContiguousArray<PackedGround>
    /// Leaves first, the root last.
    let boxes: ContiguousArray<NormalBox>
    /// Where each level of `boxes` begins, and the end of the last.
    let levels: [Int]

    static let fanOut = 16

    /// `order` becomes, for each of `grounds`, its index among those given. O(n).
    public init(packing given: ContiguousArray<PackedGround>, order: inout [UInt32]) {
        order = HilbertOrder.order(of: given)
        var grounds: ContiguousArray<PackedGround> = []
        grounds.reserveCapacity(given.count)
        for index in order { grounds.append(given[Int(index)]) }
        self.grounds = grounds
        (boxes, levels) = Self.boxes(around: grounds)
    }

    /// Bytes that it takes.
    public var byteCount: Int {
        grounds.count * MemoryLayout<PackedGround>.stride
            + boxes.count * MemoryLayout<NormalBox>.stride
    }

    var rootLevel: Int { levels.count - 2 }

    private static func boxes(
        around grounds: ContiguousArray<PackedGround>
    ) -> (boxes: ContiguousArray<NormalBox>, levels: [Int]) {
        var boxes: ContiguousArray<NormalBox> = []
        boxes.reserveCapacity(grounds.count / (fanOut - 1) + fanOut)
        for first in stride(from: 0, to: grounds.count, by: fanOut) {
            var box = NormalBox()
            for ground in grounds[first..<min(grounds.count, first + fanOut)] {
                box.extend(to: SurfaceNormal(ground.place), reach: ground.reachAngle)
            }
            boxes.append(box)
        }
        var levels = [0, boxes.count]
        while let begin = levels.dropLast().last, let end = levels.last, end - begin > 1 {
            for first in stride(from: begin, to: end, by: fanOut) {
                var box = NormalBox()
                for child in first..<min(end, first + fanOut) { box.extend(to: boxes[child]) }
                boxes.append(box)
            }
            levels.append(boxes.count)
        }
        return (boxes, levels)
    }
}

/// An upright box in the space of normals, rounded outwards.
struct NormalBox: Sendable {
    private var lowX = Float.infinity
    private var lowY = Float.infinity
    private var lowZ = Float.infinity
    private var highX = -Float.infinity
    private var highY = -Float.infinity
    private var highZ = -Float.infinity

    /// `reach`: radians, which are more than the chord.
    mutating func extend(to normal: SurfaceNormal, reach: Double) {
        lowX = min(lowX, Float(normal.x - reach).nextDown)
        lowY = min(lowY, Float(normal.y - reach).nextDown)
        lowZ = min(lowZ, Float(normal.z - reach).nextDown)
        highX = max(highX, Float(normal.x + reach).nextUp)
        highY = max(highY, Float(normal.y + reach).nextUp)
        highZ = max(highZ, Float(normal.z + reach).nextUp)
    }

    mutating func extend(to other: NormalBox) {
        lowX = min(lowX, other.lowX)
        lowY = min(lowY, other.lowY)
        lowZ = min(lowZ, other.lowZ)
        highX = max(highX, other.highX)
        highY = max(highY, other.highY)
        highZ = max(highZ, other.highZ)
    }

    /// Squared; 0 inside.
    @inline(__always)
    func chordSquared(to normal: SurfaceNormal) -> Double {
        let dx = max(0, max(Double(lowX) - normal.x, normal.x - Double(highX)))
        let dy = max(0, max(Double(lowY) - normal.y, normal.y - Double(highY)))
        let dz = max(0, max(Double(lowZ) - normal.z, normal.z - Double(highZ)))
        return dx * dx + dy * dy + dz * dz
    }
}
