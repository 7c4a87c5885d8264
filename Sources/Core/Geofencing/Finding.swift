/// A transition on its way out of one fix, with what its place in the order depends on.
struct Finding: Sendable {
    var transition: Transition
    var rank: Rank
    var areaSquareMeters: Double

    enum Rank: Int, Comparable {
        case exit, enter, pass, dwell

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }

        init(_ kind: Transition.Kind) {
            switch kind {
            case .exit: self = .exit
            case .enter: self = .enter
            case .pass: self = .pass
            case .dwell: self = .dwell
            }
        }
    }

    /// Exits, enters (larger area first), passes, dwells; then id; what one fence gives under the
    /// same rank stays in its order.
    static func ordered(_ findings: [Finding]) -> [Transition] {
        if findings.count < 2 { return findings.map(\.transition) }
        return findings.enumerated().sorted { left, right in
            let first = left.element
            let second = right.element
            if first.rank != second.rank { return first.rank < second.rank }
            if first.rank == .enter, first.areaSquareMeters != second.areaSquareMeters {
                return first.areaSquareMeters > second.areaSquareMeters
            }
            if first.transition.fenceID != second.transition.fenceID {
                return first.transition.fenceID < second.transition.fenceID
            }
            return left.offset < right.offset
        }.map(\.element.transition)
    }
}
