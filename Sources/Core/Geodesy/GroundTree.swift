/// Grounds packed for the question "which are nearest?": an immutable tree without pointers.
///
/// Grounds lie along a Hilbert curve on the sides of a cube, sixteen to a leaf; the boxes of sixteen
/// leaves are a node, those of sixteen nodes are a node of the next level. Boxes are of normals in
/// space, so that neither antimeridian nor poles are special. A box reaches every normal of the
/// ground below it.
public struct GroundTree: Sendable {
    /// Along the curve.
    public let grounds: ContiguousArray<PackedGround>
    /// Those of leaves first, the root last.
    let nodes: ContiguousArray<GroundNode>
    /// Where each level of `nodes` begins.
    let levels: [Int]

    /// `order` becomes, for each of `grounds`, its index among those given. O(n).
    public init(packing given: ContiguousArray<PackedGround>, order: inout [UInt32]) {
        order = HilbertOrder.order(of: given)
        var grounds: ContiguousArray<PackedGround> = []
        grounds.reserveCapacity(given.count)
        for index in order { grounds.append(given[Int(index)]) }
        self.grounds = grounds
        var nodes: ContiguousArray<GroundNode> = []
        nodes.reserveCapacity(grounds.count / (Self.fanOut * (Self.fanOut - 1)) + Self.fanOut)
        var levels: [Int] = []
        var boxes = Self.leafBoxes(around: grounds)
        while !boxes.isEmpty {
            levels.append(nodes.count)
            boxes = Self.append(boxes, to: &nodes)
        }
        self.nodes = nodes
        self.levels = levels
    }

    /// Bytes that it takes.
    public var byteCount: Int {
        grounds.count * MemoryLayout<PackedGround>.stride
            + nodes.count * MemoryLayout<GroundNode>.stride
    }

    static let fanOut = GroundNode.fanOut

    private static func leafBoxes(
        around grounds: ContiguousArray<PackedGround>
    ) -> ContiguousArray<NormalBox> {
        var boxes: ContiguousArray<NormalBox> = []
        boxes.reserveCapacity(grounds.count / fanOut + 1)
        for first in stride(from: 0, to: grounds.count, by: fanOut) {
            var box = NormalBox()
            for ground in grounds[first..<min(grounds.count, first + fanOut)] {
                box.extend(to: SurfaceNormal(ground.place), reach: ground.reachAngle)
            }
            boxes.append(box)
        }
        return boxes
    }

    /// Adds a level with these boxes; the boxes of its nodes, none where it is the root.
    private static func append(
        _ boxes: ContiguousArray<NormalBox>, to nodes: inout ContiguousArray<GroundNode>
    ) -> ContiguousArray<NormalBox> {
        var around: ContiguousArray<NormalBox> = []
        for first in stride(from: 0, to: boxes.count, by: fanOut) {
            var node = GroundNode()
            var whole = NormalBox()
            for child in first..<min(boxes.count, first + fanOut) {
                node.set(child - first, to: boxes[child])
                whole.extend(to: boxes[child])
            }
            nodes.append(node)
            around.append(whole)
        }
        return around.count > 1 ? around : []
    }
}
