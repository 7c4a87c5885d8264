import Snapshots

/// Fixes that contradict the last accepted one, kept until it is clear which side is right.
///
/// All of them agree with each other: one that does not begins the chain anew.
struct HeldFixes: Hashable, Sendable {
    private(set) var fixes: [FilteredFix] = []
    /// Members of the chain, also those that were thinned out.
    private var count = 0
    private var first: FilteredFix?

    var isEmpty: Bool { fixes.isEmpty }
    var last: FilteredFix? { fixes.last }

    /// Whether the fix goes on where the chain ends.
    func isContinued(by fix: FilteredFix, rules: FixFilterRules) -> Bool {
        guard let last else { return false }
        return Plausibility.isPlausible(from: last, to: fix, rules: rules)
    }

    mutating func hold(_ fix: FilteredFix, rules: FixFilterRules) {
        if !isContinued(by: fix, rules: rules) { removeAll() }
        if fixes.count >= rules.heldMax { thinOut() }
        fixes.append(fix)
        first = first ?? fix
        count += 1
    }

    /// Whether the chain is long enough to be believed.
    func isConvincing(rules: FixFilterRules) -> Bool {
        guard let first, let last else { return false }
        if count >= rules.releaseCount,
            last.fix.uptime.seconds(since: first.fix.uptime) >= rules.releaseSeconds
        {
            return true
        }
        return fixes.count >= rules.dopplerReleaseCount
            && Plausibility.agreesWithDoppler(
                fixes.suffix(rules.dopplerReleaseCount), rules: rules)
    }

    mutating func removeAll() {
        fixes.removeAll(keepingCapacity: true)
        count = 0
        first = nil
    }

    /// Gives up every second fix, so that the chain keeps its whole span.
    private mutating func thinOut() {
        fixes = fixes.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }
}

extension HeldFixes: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(fixes)
        snapshot.write(count)
        snapshot.write(first)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        fixes = try snapshot.read()
        count = try snapshot.readTally()
        first = try snapshot.read()
    }
}
