/// A search for the nearest grounds of several trees, one after the other, best first in each.
///
/// What is looked at next is always what may be nearest. A box, and an outline that has not been
/// measured, stand in the line with an angle nearer than which nothing of them can be; the search of
/// a tree ends when the first in the line is farther than the last of the wanted. Angles are
/// compared by their squares: measuring a box takes no root.
public struct GroundSearch {
    /// A ground of a tree.
    public struct Place: Hashable, Sendable {
        public var tree: Int
        public var ground: Int

        public init(tree: Int, ground: Int) {
            self.tree = tree
            self.ground = ground
        }
    }

    /// A ground with its exact edge distance.
    public struct Found: Hashable, Sendable {
        public var place: Place
        /// 0 inside.
        public var distanceMeters: Double
    }

    /// Ascending by distance, ties as `precedes` has them.
    public private(set) var found: [Found] = []
    private let origin: SpacePoint
    private let normal: SurfaceNormal
    private let count: Int
    private var line = StepLine()
    /// Metres; what is farther is not wanted.
    private var limit = Double.infinity
    /// The square of the angle beyond which everything is farther than `limit`, radians.
    private var boundLimit = Float.greatestFiniteMagnitude

    /// - Parameter count: how many are wanted; fewer are found where there are fewer.
    public init(from origin: SurfacePoint, count: Int) {
        self.origin = origin.space
        normal = SurfaceNormal(origin.space)
        self.count = max(0, count)
        found.reserveCapacity(min(self.count, 1_024))
    }

    /// - Parameters:
    ///   - accepts: whether a ground counts at all.
    ///   - outlineDistance: metres to the edge of an outline, 0 inside; nil: it is not there.
    ///   - precedes: which of two at the same distance comes first.
    public mutating func run(
        over trees: [GroundTree], accepts: (Place) throws -> Bool,
        outlineDistance: (Place) throws -> Double?, precedes: (Place, Place) -> Bool
    ) rethrows {
        guard count > 0 else { return }
        for (index, tree) in trees.enumerated() where !tree.nodes.isEmpty {
            try tree.grounds.withUnsafeBufferPointer { grounds in
                try tree.nodes.withUnsafeBufferPointer { nodes in
                    try run(
                        over: grounds, nodes, tree.levels, tree: index, accepts, outlineDistance,
                        precedes)
                }
            }
        }
    }

    private mutating func run(
        over grounds: UnsafeBufferPointer<PackedGround>, _ nodes: UnsafeBufferPointer<GroundNode>,
        _ levels: [Int], tree: Int, _ accepts: (Place) throws -> Bool,
        _ outlineDistance: (Place) throws -> Double?, _ precedes: (Place, Place) -> Bool
    ) rethrows {
        line.removeAll()
        line.push(Step(bound: 0, index: 0, level: Int32(clamping: levels.count)))
        while let step = line.pop(), step.bound <= boundLimit {
            let index = Int(step.index)
            if step.level > 0 {
                let bounds = nodes[levels[Int(step.level) - 1] + index].bounds(from: normal)
                for child in 0..<GroundTree.fanOut where bounds[child] <= boundLimit {
                    line.push(
                        Step(
                            bound: bounds[child],
                            index: UInt32(truncatingIfNeeded: index * GroundTree.fanOut + child),
                            level: step.level - 1))
                }
            } else if step.level == 0 {
                try visit(leaf: index, of: grounds, tree: tree, accepts, precedes)
            } else {
                let place = Place(tree: tree, ground: index)
                if let distance = try outlineDistance(place) { offer(place, distance, precedes) }
            }
        }
    }

    @inline(__always)
    private mutating func visit(
        leaf: Int, of grounds: UnsafeBufferPointer<PackedGround>, tree: Int,
        _ accepts: (Place) throws -> Bool, _ precedes: (Place, Place) -> Bool
    ) rethrows {
        let first = leaf * GroundTree.fanOut
        let end = min(grounds.count, first + GroundTree.fanOut)
        // All are looked at before any is measured, so that memory is waited for once.
        var near: UInt32 = 0
        for index in first..<end {
            near |= grounds[index].mayBeNear(within: limit, of: origin) << UInt32(index - first)
        }
        while near != 0 {
            let index = first + near.trailingZeroBitCount
            near &= near - 1
            let place = Place(tree: tree, ground: index)
            if grounds[index].isOutline {
                let bound = grounds[index].outlineBound(from: normal)
                if bound <= boundLimit, try accepts(place) {
                    line.push(
                        Step(bound: bound, index: UInt32(truncatingIfNeeded: index), level: -1))
                }
            } else {
                let distance = grounds[index].circleDistance(to: origin)
                if distance <= limit, try accepts(place) { offer(place, distance, precedes) }
            }
        }
    }

    /// Adds a ground that was found elsewhere.
    public mutating func offer(
        _ place: Place, _ distance: Double, _ precedes: (Place, Place) -> Bool
    ) {
        guard distance <= limit, count > 0 else { return }
        func comesBefore(_ other: Found) -> Bool {
            distance < other.distanceMeters
                || (distance == other.distanceMeters && precedes(place, other.place))
        }
        let new = Found(place: place, distanceMeters: distance)
        if found.count < count {
            found.append(new)
        } else if !comesBefore(found[count - 1]) {
            return
        }
        let size = found.count
        found.withUnsafeMutableBufferPointer { found in
            var index = size - 1
            while index > 0, comesBefore(found[index - 1]) {
                found[index] = found[index - 1]
                index -= 1
            }
            found[index] = new
        }
        guard size == count else { return }
        limit = found[count - 1].distanceMeters
        boundLimit = SurfaceNormal.boundLimit(meters: limit)
    }
}
