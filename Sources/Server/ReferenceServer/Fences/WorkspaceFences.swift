import Geodesy

/// The fences of one workspace, indexed in memory, as they were at one moment.
///
/// Those for everybody and those for some lie apart: a search for somebody does not have to pass
/// the many that are for others.
struct WorkspaceFences: Sendable {
    private var open: FenceRuns
    private(set) var restricted: FenceRuns

    init(_ entries: [FenceEntry] = []) {
        open = FenceRuns(entries.filter { !$0.isRestricted })
        restricted = FenceRuns(entries.filter(\.isRestricted))
    }

    var count: Int { open.count + restricted.count }

    var byteCount: Int { open.byteCount + restricted.byteCount }

    /// Takes fences that were written, and leaves out those that are not there any more.
    mutating func replace(rows: some Sequence<Int64>, with entries: [FenceEntry]) {
        for rowID in rows {
            open.remove(row: rowID)
            restricted.remove(row: rowID)
        }
        open.add(entries.filter { !$0.isRestricted })
        restricted.add(entries.filter(\.isRestricted))
    }

    /// Which of the restricted fences are for the one who asks.
    enum Access {
        /// All of them.
        case rows([Int64])
        /// Too many to be listed: each has to be asked for.
        case asking((Int64) throws -> Bool)
    }

    /// A fence that was found.
    struct Ranked: Hashable {
        var rowID: Int64
        var tag: Int64
        /// 0 inside.
        var distanceMeters: Double
    }

    /// Ascending by distance, ties by id.
    ///
    /// `outlineDistance`: metres from the point to the edge of a fence that is no circle, 0 inside;
    /// nil: it is gone.
    func nearest(
        _ count: Int, to point: SurfacePoint, nowMilliseconds: Int64, access: Access,
        outlineDistance: (_ rowID: Int64, _ tag: Int64) throws -> Double?
    ) throws -> [Ranked] {
        let runs = open.runs + restricted.runs
        let openCount = open.runs.count
        func isThere(_ place: GroundSearch.Place) -> Bool {
            let inOwn = GroundSearch.Place(
                tree: place.tree - (place.tree < openCount ? 0 : openCount), ground: place.ground)
            return
                !(place.tree < openCount ? open.isStruck(inOwn) : restricted.isStruck(inOwn))
                && !runs[place.tree].isExpired(at: place.ground, nowMilliseconds)
        }
        func measured(_ place: GroundSearch.Place) throws -> Double? {
            let run = runs[place.tree]
            return try outlineDistance(run.rowIDs[place.ground], run.tags[place.ground])
        }
        func precedes(_ one: GroundSearch.Place, _ other: GroundSearch.Place) -> Bool {
            runs[one.tree].id(at: one.ground) < runs[other.tree].id(at: other.ground)
        }
        var search = GroundSearch(from: point, count: count)
        var trees = open.trees
        var mayUse: ((Int64) throws -> Bool)?
        switch access {
        case .rows(let rows):
            for rowID in rows {
                guard var place = restricted.place(ofRow: rowID) else { continue }
                place.tree += openCount
                guard isThere(place) else { continue }
                let ground = runs[place.tree].tree.grounds[place.ground]
                if let distance = try ground.circleDistance(to: point) ?? measured(place) {
                    search.offer(place, distance, precedes)
                }
            }
        case .asking(let ask):
            trees += restricted.trees
            mayUse = ask
        }
        try search.run(
            over: trees,
            accepts: { place in
                guard isThere(place) else { return false }
                guard place.tree >= openCount, let mayUse else { return true }
                return try mayUse(runs[place.tree].rowIDs[place.ground])
            }, outlineDistance: measured, precedes: precedes)
        return search.found.map { found in
            let run = runs[found.place.tree]
            return Ranked(
                rowID: run.rowIDs[found.place.ground], tag: run.tags[found.place.ground],
                distanceMeters: found.distanceMeters)
        }
    }
}
