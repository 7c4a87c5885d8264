import Geodesy
import SQLite
import Timekeeping
import WireFormat

extension SQLiteServerStore {
    public func nearest(
        _ position: Coordinate, pool: Int, for member: FenceAudienceMember, in workspace: Int64,
        now: UTCTime
    ) throws(StoreError) -> NearestFences {
        try readers.read { connection in
            let search = NearestSearch(
                position: position, member: member, workspace: workspace, now: now,
                shapes: shapes, connection: connection)
            let ranked = try search.nearest(pool + 1)
            let fences = try ranked.prefix(pool).map { try search.fence(of: $0) }
            return NearestFences(
                fences: fences.compactMap { $0 },
                nextDistanceMeters: ranked.count > pool ? ranked[pool].distanceMeters : nil)
        }
    }
}

/// One search: boxes from the index in growing squares, then exact edge distances.
///
/// Every fence whose edge is at most r away has a box that meets the square of half-width r. So
/// once the n-th distance found is at most r, nothing outside the square can be among the first n.
private struct NearestSearch {
    let point: SurfacePoint
    let position: Coordinate
    let member: FenceAudienceMember
    let workspace: Int64
    let now: UTCTime
    let shapes: ShapeCache
    let connection: Connection

    init(
        position: Coordinate, member: FenceAudienceMember, workspace: Int64, now: UTCTime,
        shapes: ShapeCache, connection: Connection
    ) {
        point = SurfacePoint(position)
        self.position = position
        self.member = member
        self.workspace = workspace
        self.now = now
        self.shapes = shapes
        self.connection = connection
    }

    struct Candidate {
        var rowID: Int64
        var tag: Int64
        var id: String
        var distanceMeters = 0.0
    }

    static let firstRadiusMeters = 500.0
    /// No two places are farther apart.
    static let greatestRadiusMeters = 20_100_000.0
    /// Distances are up to 0.6 % off beyond 1,000 km; the square is made larger by more.
    static let margin = 1.01

    /// The first `count` by distance, ties by id; fewer where there are fewer.
    func nearest(_ count: Int) throws -> [Candidate] {
        var radius = Self.firstRadiusMeters
        var found = try candidates(within: radius)
        while found.count < count, radius < Self.greatestRadiusMeters {
            radius *= 2
            found = try candidates(within: radius)
        }
        var ranked = try rank(found)
        if ranked.count >= count, radius < Self.greatestRadiusMeters {
            let reach = ranked[count - 1].distanceMeters * Self.margin
            if reach > radius { ranked = try rank(try candidates(within: reach)) }
        }
        return Array(ranked.prefix(count))
    }

    func fence(of candidate: Candidate) throws -> NearestFences.Ranked? {
        try connection.first(
            "\(SQLiteServerStore.selectFence) WHERE id = ?", candidate.rowID
        ) {
            NearestFences.Ranked(
                fence: SQLiteServerStore.fence($0), distanceMeters: candidate.distanceMeters)
        }
    }

    private func candidates(within radius: Double) throws -> [Candidate] {
        let square = BoundingBox(center: position, radiusMeters: radius * Self.margin)
        var found: [Int64: Candidate] = [:]
        for piece in square.pieces {
            try connection.forEach(
                """
                SELECT f.id, f.tag, f.fence_id FROM fence_index i JOIN fences f ON f.id = i.fence
                    WHERE i.first_workspace <= ? AND i.last_workspace >= ?
                    AND i.west <= ? AND i.east >= ? AND i.south <= ? AND i.north >= ?
                    AND (f.expires_ms IS NULL OR f.expires_ms > ?)
                    AND \(AudienceCondition.isFor)
                """,
                values: [
                    workspace, workspace, piece.east, piece.west, piece.north, piece.south,
                    now.millisecondsSince1970,
                ] + AudienceCondition.values(member, in: workspace)
            ) { row in
                let rowID = row.int64(0)
                found[rowID] = Candidate(rowID: rowID, tag: row.int64(1), id: row.text(2))
                return true
            }
        }
        return Array(found.values)
    }

    private func rank(_ candidates: [Candidate]) throws -> [Candidate] {
        var ranked: [Candidate] = []
        ranked.reserveCapacity(candidates.count)
        for var candidate in candidates {
            guard let shape = try shape(of: candidate) else { continue }
            candidate.distanceMeters = max(0, -shape.signedDistance(to: point))
            ranked.append(candidate)
        }
        ranked.sort { ($0.distanceMeters, $0.id) < ($1.distanceMeters, $1.id) }
        return ranked
    }

    private func shape(of candidate: Candidate) throws -> PreparedShape? {
        let key = ShapeCache.Key(rowID: candidate.rowID, tag: candidate.tag)
        if let known = shapes.shape(for: key) { return known }
        let document = try connection.first(
            "SELECT document FROM fences WHERE id = ?", candidate.rowID
        ) { $0.blob(0) }
        guard let document else { return nil }
        let fence = try WireCoding.decode(WireFence.self, from: document).fence()
        let shape = try PreparedShape(fence.shape)
        shapes.insert(shape, for: key)
        return shape
    }
}
