/// How often each verdict was given since the start.
///
/// A fix that was quarantined and later released counts under both verdicts.
public struct FixVerdictCounts: Hashable, Sendable {
    private var values = [Int](repeating: 0, count: FixVerdict.allCases.count)

    public init() {}

    public subscript(verdict: FixVerdict) -> Int { values[Self.index(verdict)] }

    mutating func count(_ verdict: FixVerdict) {
        values[Self.index(verdict)] &+= 1
    }

    private static func index(_ verdict: FixVerdict) -> Int {
        switch verdict {
        case .ok: 0
        case .departOnly: 1
        case .quarantined: 2
        case .inaccurate: 3
        case .stale: 4
        case .nullIsland: 5
        case .invalid: 6
        case .estimated: 7
        }
    }
}
