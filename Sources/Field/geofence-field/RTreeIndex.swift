import FieldTools
import Geodesy
import SQLite

/// The fences of a land in SQLite's R*Tree, and the same answers from it: squares around the place
/// that grow until nothing outside can be nearer, then exact edge distances.
final class RTreeIndex {
    private let land: FenceLand
    private let connection: Connection
    /// Metres from the middle to a side of the first square, as the server had it.
    static let firstReachMeters = 500.0
    private let shapes: [Int: PreparedShape]

    /// Distances are up to 0.6 % off beyond 1,000 km; the square is larger by more.
    private static let margin = 1.01
    /// No two places are farther apart.
    private static let greatestReachMeters = 20_100_000.0

    /// Builds it in memory, in one transaction.
    init(_ land: FenceLand) throws {
        self.land = land
        shapes = land.outlines
        connection = try Connection(path: ":memory:")
        try connection.execute(
            "CREATE VIRTUAL TABLE fences USING rtree (id, west, east, south, north)")
        try connection.withTransaction {
            for (index, ground) in land.grounds.enumerated() {
                let box =
                    land.outlines[index]?.boundingBox
                    ?? BoundingBox(center: ground.center, radiusMeters: ground.reachMeters)
                for (part, piece) in box.pieces.enumerated() {
                    try connection.run(
                        "INSERT INTO fences VALUES (?, ?, ?, ?, ?)", Int64(2 * index + part),
                        piece.west, piece.east, piece.south, piece.north)
                }
            }
        }
    }

    /// As `FenceLandIndex.nearest`.
    func nearest(
        _ count: Int, to place: Coordinate, firstReachMeters: Double = firstReachMeters
    ) throws -> [FenceLandIndex.Answer] {
        let point = SurfacePoint(place)
        var reach = firstReachMeters
        var found = try candidates(place, reach)
        while found.count < count, reach < Self.greatestReachMeters {
            reach *= 2
            found = try candidates(place, reach)
        }
        var ranked = rank(found, point)
        if ranked.count >= count, reach < Self.greatestReachMeters {
            let needed = ranked[count - 1].distanceMeters * Self.margin
            if needed > reach { ranked = rank(try candidates(place, needed), point) }
        }
        return Array(ranked.prefix(count))
    }

    private func candidates(_ place: Coordinate, _ reach: Double) throws -> Set<Int> {
        var found: Set<Int> = []
        for piece in BoundingBox(center: place, radiusMeters: reach * Self.margin).pieces {
            try connection.forEach(
                """
                SELECT id FROM fences WHERE west <= ? AND east >= ? AND south <= ? AND north >= ?
                """, values: [piece.east, piece.west, piece.north, piece.south]
            ) {
                found.insert($0.int(0) / 2)
                return true
            }
        }
        return found
    }

    private func rank(_ candidates: Set<Int>, _ point: SurfacePoint) -> [FenceLandIndex.Answer] {
        var answers: [FenceLandIndex.Answer] = []
        answers.reserveCapacity(candidates.count)
        for fence in candidates {
            answers.append(.init(fence: fence, distanceMeters: distance(fence, point)))
        }
        answers.sort { ($0.distanceMeters, $0.fence) < ($1.distanceMeters, $1.fence) }
        return answers
    }

    private func distance(_ fence: Int, _ point: SurfacePoint) -> Double {
        if let outline = shapes[fence] { return max(0, -outline.signedDistance(to: point)) }
        let ground = land.grounds[fence]
        return PackedGround(ground).circleDistance(to: point) ?? 0
    }
}
