import Geodesy

/// Fences in runs that shrink from one to the next: a change makes a small run and strikes out of
/// the old ones, and runs of like size are packed into one. So a change costs little, on average
/// the logarithm of the number of fences, and whoever searches meanwhile keeps what it began with.
struct FenceRuns: Sendable {
    private(set) var runs: [FenceRun] = []
    /// Of each run.
    private var struck: [Struck] = []
    /// Of each run.
    private(set) var trees: [GroundTree] = []

    /// A run is at least so many times the one after it.
    private static let ratio = 8

    /// Fences of a run that are not there any more.
    private struct Struck {
        private var words: ContiguousArray<UInt64> = []
        private(set) var count = 0

        func contains(_ place: Int) -> Bool {
            !words.isEmpty && words[place >> 6] & 1 << UInt64(place & 63) != 0
        }

        mutating func insert(_ place: Int, of total: Int) {
            if words.isEmpty { words = .init(repeating: 0, count: (total + 63) / 64) }
            words[place >> 6] |= 1 << UInt64(place & 63)
            count += 1
        }
    }

    init(_ entries: [FenceEntry] = []) {
        add(entries)
    }

    /// Fences that are there.
    var count: Int { zip(runs, struck).reduce(0) { $0 + $1.0.count - $1.1.count } }

    var byteCount: Int { runs.reduce(0) { $0 + $1.byteCount } }

    func isStruck(_ place: GroundSearch.Place) -> Bool {
        struck[place.tree].contains(place.ground)
    }

    /// Nil: it is not among these.
    func place(ofRow rowID: Int64) -> GroundSearch.Place? {
        for index in runs.indices.reversed() {
            if let ground = runs[index].place(ofRow: rowID), !struck[index].contains(ground) {
                return GroundSearch.Place(tree: index, ground: ground)
            }
        }
        return nil
    }

    mutating func remove(row rowID: Int64) {
        guard let place = place(ofRow: rowID) else { return }
        struck[place.tree].insert(place.ground, of: runs[place.tree].count)
    }

    /// Adds fences whose rows are not there, and packs what has to be packed.
    mutating func add(_ entries: [FenceEntry]) {
        if !entries.isEmpty { append(FenceRun(entries)) }
        var index = runs.count - 1
        while index >= 0 {
            let left = left(index)
            let isSmall = index + 1 < runs.count && left < Self.ratio * self.left(index + 1)
            if isSmall {
                pack(from: index)
            } else if left * 2 < runs[index].count {
                repack(index)
            }
            index -= 1
        }
    }

    /// Fences of a run that are there.
    private func left(_ index: Int) -> Int { runs[index].count - struck[index].count }

    private mutating func append(_ run: FenceRun) {
        runs.append(run)
        struck.append(Struck())
        trees.append(run.tree)
    }

    /// Makes one run of all from an index on.
    private mutating func pack(from index: Int) {
        let entries = (index..<runs.count).flatMap(entries)
        runs.removeSubrange(index...)
        struck.removeSubrange(index...)
        trees.removeSubrange(index...)
        if !entries.isEmpty { append(FenceRun(entries)) }
    }

    /// Leaves out what was struck out of a run.
    private mutating func repack(_ index: Int) {
        let entries = entries(of: index)
        guard !entries.isEmpty else {
            runs.remove(at: index)
            struck.remove(at: index)
            trees.remove(at: index)
            return
        }
        runs[index] = FenceRun(entries)
        struck[index] = Struck()
        trees[index] = runs[index].tree
    }

    private func entries(of index: Int) -> [FenceEntry] {
        let gone = struck[index]
        return (0..<runs[index].count).filter { !gone.contains($0) }
            .map { runs[index].entry(at: $0) }
    }
}
