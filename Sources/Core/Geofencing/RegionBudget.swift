import Geodesy
import Snapshots

/// Chooses the fences that are monitored out of all that are known nearby.
///
/// Rank is the edge distance to the way between the last two fixes, ties by id. Fences that are
/// inside or pending stay; another one leaves only for one that is clearly nearer or close by, so
/// that noise does not move regions about. Where more fences hold the device than can be
/// monitored, the smallest ones are.
///
/// Edge distance changes by at most what the device travels (it is 1-Lipschitz), so a fence that
/// was far away is not measured again before the device could have come near it.
public struct RegionBudget: Sendable {
    /// Fences that are monitored at most.
    public static let limit = 18
    /// Fences that may be added on the device itself.
    public static let localLimit = 20
    /// Fences that the pool may hold: the server's and the device's own.
    public static let poolLimit = 500 + localLimit

    /// A candidate is taken when nearer by more than this or by two accuracies.
    static let marginMeters = 20.0
    /// A candidate this near is taken whenever it is nearer ...
    static let closeMeters = 50.0
    /// ... and one that can be reached within this time.
    static let closeSeconds = 10.0
    /// Share added to what was travelled, for the errors of measuring it.
    private static let travelMargin = 1.001

    /// In order of id, so that the lower index wins a tie.
    private var candidates: [PreparedFence] = []
    private var positions: [String: Int] = [:]
    /// For each candidate the reading of `odometer` up to which the device cannot have touched it:
    /// what is missing to it is a lower bound of the edge distance.
    private var floors: ContiguousArray<Double> = []
    /// For each candidate whether it was monitored or spare after the last update.
    private var isHeld: ContiguousArray<Bool> = []
    /// Metres, never less than the device travelled since the budget was made.
    private var odometer = 0.0
    private var lastPlace: SurfacePoint?
    private var selection = RegionSelection()
    /// Held ids that `setPool` removed since the last update.
    private var gone: [String] = []

    public init() {}

    /// The known fences in order of id, monitored or not.
    public var pool: [PreparedFence] { candidates }

    /// What the last `update` chose.
    public var current: RegionSelection { selection }

    /// Replaces the known fences. Monitored ones that are still known stay monitored; the next
    /// `update` says what left. Of a repeated id the first is kept; beyond `poolLimit` the rest is
    /// dropped.
    public mutating func setPool(_ fences: [PreparedFence]) {
        var seen: Set<String> = []
        let previous = candidates
        candidates = fences.filter { seen.insert($0.id).inserted }.prefix(Self.poolLimit)
            .sorted { $0.id < $1.id }
        // The same shape keeps what is known of its distance.
        floors = ContiguousArray(
            candidates.map { fence in
                guard let before = positions[fence.id], previous[before].shape == fence.shape
                else { return -.infinity }
                return floors[before]
            })
        positions = Dictionary(
            candidates.indices.map { (candidates[$0].id, $0) },
            uniquingKeysWith: { first, _ in first })
        let held = selection.evaluated
        gone = (gone + held).filter { positions[$0] == nil }
        isHeld = ContiguousArray(repeating: false, count: candidates.count)
        for index in held.compactMap({ positions[$0] }) { isHeld[index] = true }
    }

    /// Ranks for one accepted fix and says which fences are monitored from now on.
    public mutating func update(_ situation: RegionSituation) -> RegionSelection {
        let way = advance(situation)
        var pinned = pinned(situation)
        let spare = takeSpare(from: &pinned, situation)
        let members = ranked(heldBesides: pinned, spare, way)
        let slots = situation.limit - pinned.count
        let reach = members.count < slots ? Double.infinity : members.last?.distance ?? 0
        let outsiders = ranked(outsideWithin: reach, besides: pinned, spare, way)
        let holders = (members + outsiders).filter(\.holdsDevice)

        var overflow: [Int] = []
        var chosen: [Int]
        if holders.count > slots {
            let smallest = bySize(pinned + holders.map(\.index))
            chosen = Array(smallest.prefix(max(0, situation.limit)))
            overflow = Array(smallest.dropFirst(chosen.count))
        } else {
            chosen = pinned + nearest(slots, members, outsiders, situation)
        }
        return settle(chosen, spare: spare, overflow: overflow, way)
    }

    // MARK: - Measuring

    /// The way to the accepted fix.
    private struct Way {
        var from: SurfacePoint
        var to: SurfacePoint
    }

    private mutating func advance(_ situation: RegionSituation) -> Way {
        let to = SurfacePoint(situation.to)
        var from = to
        if let start = situation.from {
            from = lastPlace?.coordinate == start ? lastPlace ?? to : SurfacePoint(start)
        }
        let jump = lastPlace.map { $0.distance(to: from) } ?? 0
        odometer += (jump + from.distance(to: to)) * Self.travelMargin
        lastPlace = to
        return Way(from: from, to: to)
    }

    /// A fence with its edge distance to the way.
    private struct Ranked {
        var index: Int
        /// Metres; -1 for a fence that holds the device, which goes before one only passed.
        var distance: Double

        var holdsDevice: Bool { distance < 0 }

        static func isBefore(_ left: Ranked, _ right: Ranked) -> Bool {
            left.distance == right.distance
                ? left.index < right.index : left.distance < right.distance
        }
    }

    private mutating func measure(_ index: Int, _ way: Way) -> Ranked {
        let shape = candidates[index].shape
        let distance = shape.edgeDistance(from: way.from, to: way.to)
        floors[index] = odometer + distance
        guard distance == 0, shape.signedDistance(to: way.to) >= 0 else {
            return Ranked(index: index, distance: distance)
        }
        return Ranked(index: index, distance: -1)
    }

    private mutating func ranked(
        heldBesides pinned: [Int], _ spare: Int?, _ way: Way
    ) -> [Ranked] {
        var result: [Ranked] = []
        for index in candidates.indices
        where isHeld[index] && index != spare && !pinned.contains(index) {
            result.append(measure(index, way))
        }
        return result.sorted(by: Ranked.isBefore)
    }

    /// Fences that are not held and not farther than `reach` metres.
    private mutating func ranked(
        outsideWithin reach: Double, besides pinned: [Int], _ spare: Int?, _ way: Way
    ) -> [Ranked] {
        let limit = odometer + max(0, reach)
        var result: [Ranked] = []
        for index in floors.indices where floors[index] <= limit {
            if isHeld[index] || index == spare || pinned.contains(index) { continue }
            let candidate = measure(index, way)
            if candidate.distance <= reach || candidate.holdsDevice { result.append(candidate) }
        }
        return result.sorted(by: Ranked.isBefore)
    }

    // MARK: - Choosing

    /// In order of id.
    private func pinned(_ situation: RegionSituation) -> [Int] {
        if situation.inside.isEmpty, situation.pending.isEmpty { return [] }
        return situation.inside.union(situation.pending).compactMap { positions[$0] }.sorted()
    }

    /// Where pinned fences take every slot, one whose exit is unresolved gets the spare.
    private func takeSpare(from pinned: inout [Int], _ situation: RegionSituation) -> Int? {
        guard situation.limit > 0, pinned.count >= situation.limit else { return nil }
        let leaving = pinned.filter { situation.leaving.contains(candidates[$0].id) }
        let present = selection.spare.flatMap { positions[$0] }
        guard let spare = leaving.first(where: { $0 == present }) ?? leaving.first else {
            return nil
        }
        pinned.removeAll { $0 == spare }
        return spare
    }

    private func bySize(_ indices: [Int]) -> [Int] {
        let sizes = indices.map { (area: candidates[$0].shape.areaSquareMeters, index: $0) }
        return sizes.sorted { $0 < $1 }.map(\.index)
    }

    /// Members stay unless a candidate is clearly nearer, or close by and nearer.
    private func nearest(
        _ slots: Int, _ members: [Ranked], _ outsiders: [Ranked], _ situation: RegionSituation
    ) -> [Int] {
        guard slots > 0 else { return [] }
        var kept = Array(members.prefix(slots))
        var others = outsiders[...]
        while kept.count < slots, let candidate = others.popFirst() { kept.append(candidate) }
        kept.sort(by: Ranked.isBefore)
        while let candidate = others.popFirst(), let farthest = kept.last,
            candidate.distance < farthest.distance,
            candidate.distance < farthest.distance - situation.marginMeters
                || candidate.distance <= situation.closeMeters
        {
            kept.removeLast()
            let place = kept.firstIndex { Ranked.isBefore(candidate, $0) } ?? kept.count
            kept.insert(candidate, at: place)
        }
        return kept.map(\.index)
    }

    // MARK: - Telling

    private mutating func settle(
        _ chosen: [Int], spare: Int?, overflow: [Int], _ way: Way
    ) -> RegionSelection {
        let held = chosen + (spare.map { [$0] } ?? [])
        let joined = held.filter { !isHeld[$0] }
        let isUnchanged =
            joined.isEmpty && gone.isEmpty && held.count == selection.evaluated.count
            && spare.map { candidates[$0].id } == selection.spare
        selection.joined = []
        selection.left = []
        selection.overflow = overflow.map { candidates[$0].id }
        guard !isUnchanged else { return selection }

        let left = candidates.indices.filter { isHeld[$0] && !held.contains($0) }
        for index in left { isHeld[index] = false }
        for index in joined { isHeld[index] = true }
        let order = chosen.map { measure($0, way) }.sorted(by: Ranked.isBefore)
        selection.monitored = order.map { candidates[$0.index].id }
        selection.spare = spare.map { candidates[$0].id }
        let isNew = Set(joined.map { candidates[$0].id })
        selection.joined = selection.evaluated.filter(isNew.contains)
        selection.left = (left.map { candidates[$0].id } + gone).sorted()
        gone = []
        return selection
    }
}

/// Which fences hold a place. The pool comes with the next `setPool`, and each of it is measured then.
extension RegionBudget: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(selection.monitored)
        snapshot.write(selection.spare)
        snapshot.write(gone)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        selection.monitored = try snapshot.read()
        selection.spare = try snapshot.read()
        gone = try snapshot.read()
    }
}
