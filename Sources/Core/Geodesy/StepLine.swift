/// A box or an outline that waits to be looked at.
struct Step {
    /// The square of an angle in radians, nearer than which nothing of it lies.
    var bound: Float
    /// Among the leaves, the nodes of its level, or the grounds.
    var index: UInt32
    /// 0 for a leaf, above for a node, -1 for an outline.
    var level: Int32
}

/// A binary heap, the least bound first.
struct StepLine {
    private var steps: ContiguousArray<Step> = []

    init() { steps.reserveCapacity(128) }

    mutating func removeAll() { steps.removeAll(keepingCapacity: true) }

    @inline(__always)
    mutating func push(_ step: Step) {
        steps.append(step)
        steps.withUnsafeMutableBufferPointer { steps in
            var index = steps.count - 1
            while index > 0 {
                let parent = (index - 1) / 2
                guard step.bound < steps[parent].bound else { break }
                steps[index] = steps[parent]
                index = parent
            }
            steps[index] = step
        }
    }

    @inline(__always)
    mutating func pop() -> Step? {
        guard let first = steps.first, let last = steps.popLast() else { return nil }
        steps.withUnsafeMutableBufferPointer { steps in
            let count = steps.count
            guard count > 0 else { return }
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
        }
        return first
    }
}
