/// A search for the nearest grounds of several trees at once, best first.
///
/// What is looked at next is always what may be nearest. A box, and an outline that has not been
/// measured, stand in the line with a distance below which nothing of them can be; the search ends
/// when the first in the line is farther than the last of the wanted.
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

    /// - Parameter count: how many are wanted; fewer are found where there are fewer.
    public init(from origin: SurfacePoint, count: Int) {
        self.origin = origin.space
        normal = SurfaceNormal(origin.space)
        self.count = max(0, count)
        found.reserveCapacity(min(self.count, 1_024) + 1)
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
        for (index, tree) in trees.enumerated() {
            guard let root = tree.boxes.last else { continue }
            push(root, tree: index, level: tree.rootLevel, index: tree.boxes.count - 1)
        }
        while let step = line.pop(), step.bound <= limit {
            let tree = trees[Int(step.tree)]
            if step.level < 0 {
                let place = Place(tree: Int(step.tree), ground: Int(step.index))
                if let distance = try outlineDistance(place) { offer(place, distance, precedes) }
            } else if step.level == 0 {
                try visit(leaf: step, of: tree, accepts, precedes)
            } else {
                visit(box: step, of: tree)
            }
        }
    }

    /// Adds a ground that was found elsewhere.
    public mutating func offer(
        _ place: Place, _ distance: Double, _ precedes: (Place, Place) -> Bool
    ) {
        guard distance <= limit else { return }
        var index = found.count
        while index > 0 {
            let other = found[index - 1]
            if other.distanceMeters < distance { break }
            if other.distanceMeters == distance, !precedes(place, other.place) { break }
            index -= 1
        }
        guard index < count else { return }
        if found.count == count { found.removeLast() }
        found.insert(Found(place: place, distanceMeters: distance), at: index)
    }

    /// Metres; what is farther is not wanted.
    private var limit: Double {
        guard found.count >= count, let last = found.last else { return .infinity }
        return last.distanceMeters
    }

    private mutating func visit(
        leaf step: Step, of tree: GroundTree, _ accepts: (Place) throws -> Bool,
        _ precedes: (Place, Place) -> Bool
    ) rethrows {
        let first = Int(step.index) * GroundTree.fanOut
        for index in first..<min(tree.grounds.count, first + GroundTree.fanOut) {
            let ground = tree.grounds[index]
            let place = Place(tree: Int(step.tree), ground: index)
            if ground.isOutline {
                let bound = ground.outlineBound(from: normal)
                if bound <= limit, try accepts(place) {
                    line.push(
                        Step(bound: bound, index: UInt32(index), tree: step.tree, level: -1))
                }
            } else {
                let distance = ground.circleDistance(to: origin)
                if distance <= limit, try accepts(place) { offer(place, distance, precedes) }
            }
        }
    }

    private mutating func visit(box step: Step, of tree: GroundTree) {
        let level = Int(step.level)
        let begin = tree.levels[level - 1]
        let end = tree.levels[level]
        let first = begin + (Int(step.index) - end) * GroundTree.fanOut
        for child in first..<min(end, first + GroundTree.fanOut) {
            push(tree.boxes[child], tree: Int(step.tree), level: level - 1, index: child)
        }
    }

    @inline(__always)
    private mutating func push(_ box: NormalBox, tree: Int, level: Int, index: Int) {
        let bound = SurfaceNormal.distanceBound(
            angle: SurfaceNormal.angle(chordSquared: box.chordSquared(to: normal)))
        guard bound <= limit else { return }
        line.push(
            Step(
                bound: bound, index: UInt32(index), tree: UInt16(clamping: tree),
                level: Int16(level)))
    }
}

/// A box or an outline that waits to be looked at.
private struct Step {
    /// Metres.
    var bound: Double
    var index: UInt32
    var tree: UInt16
    /// 0 for a leaf, above for boxes of boxes, -1 for an outline.
    var level: Int16
}

/// A binary heap, the least bound first.
private struct StepLine {
    private var steps: ContiguousArray<Step> = []

    init() { steps.reserveCapacity(128) }

    mutating func push(_ step: Step) {
        steps.append(step)
        var index = steps.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard step.bound < steps[parent].bound else { break }
            steps[index] = steps[parent]
            index = parent
        }
        steps[index] = step
    }

    mutating func pop() -> Step? {
        guard let first = steps.first, let last = steps.popLast() else { return nil }
        let count = steps.count
        guard count > 0 else { return first }
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < count else { break }
            if child + 1 < count, steps[child + 1].bound < steps[child].bound { child += 1 }
            guard steps[child].bound < last.bound else { break }
            steps[index] = steps[child]
            index = child
        }
        steps[index] = last
        return first
    }
}
