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

    /// As it leaves the tracker: an uptime before this boot is arithmetic, not a reading.
    private var told: Transition {
        var result = transition
        if let uptime = result.occurred.uptime, uptime.milliseconds < 0 {
            result.occurred.uptime = nil
        }
        return result
    }

    /// Exits, enters (larger area first), passes, dwells; then id; what one fence gives under the
    /// same rank stays in its order.
    static func ordered(_ findings: [Finding]) -> [Transition] {
        findings.enumerated().sorted { left, right in
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
        }.map { $0.element.told }
    }
}
