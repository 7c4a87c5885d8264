import Glibc

/// The edges of a shape as they are measured: without the seam along the antimeridian and cut
/// finely enough that a chord in a local plane stays on the line that is straight in lon/lat.
struct EdgePlan {
    struct Edge {
        var from: PlanarPosition
        var to: PlanarPosition
    }

    /// Metres; no piece of an edge is longer.
    static let pieceMeters = 10_000.0
    /// Pieces of one shape; a shape that would need more is cut more coarsely.
    static let pieceLimit = 65_536

    private var edges: [Edge] = []
    /// Metres by which a chord may leave its edge.
    private(set) var toleranceMeters: Double

    /// `polygons`: their rings, all on one line of longitudes.
    init(polygons: [[UnwrappedRing]], toleranceMeters: Double) {
        self.toleranceMeters = toleranceMeters
        let seam = AntimeridianSeam(polygons: polygons)
        for ring in polygons.joined() {
            let side = seam.side(of: ring)
            for (from, to) in zip(ring.positions, ring.positions.dropFirst()) {
                edges += seam.visibleParts(of: Edge(from: from, to: to), on: side)
            }
        }
    }

    /// The pieces in the order of the edges.
    mutating func pieces() -> [(from: SurfacePoint, to: SurfacePoint)] {
        var length = Self.pieceMeters
        var counts = edges.map { pieceCount(of: $0, length) }
        while counts.reduce(0, +) > max(Self.pieceLimit, edges.count) {
            toleranceMeters *= 4
            if toleranceMeters > 100 { length *= 2 }
            counts = edges.map { pieceCount(of: $0, length) }
        }
        var result: [(from: SurfacePoint, to: SurfacePoint)] = []
        result.reserveCapacity(counts.reduce(0, +))
        for (edge, count) in zip(edges, counts) { cut(edge, into: count, &result) }
        return result
    }

    private func cut(
        _ edge: Edge, into count: Int, _ result: inout [(from: SurfacePoint, to: SurfacePoint)]
    ) {
        guard var from = edge.from.coordinate.map(SurfacePoint.init) else { return }
        for index in 1...max(1, count) {
            let share = Double(index) / Double(max(1, count))
            let position =
                index >= count
                ? edge.to
                : PlanarPosition(
                    longitude: edge.from.longitude
                        + share * (edge.to.longitude - edge.from.longitude),
                    latitude: edge.from.latitude + share * (edge.to.latitude - edge.from.latitude))
            guard let to = position.coordinate.map(SurfacePoint.init) else { return }
            if from.chordSquared(to: to) > Self.nothingSquared { result.append((from, to)) }
            from = to
        }
    }

    /// A line that is straight in lon/lat bows away from its chord by
    /// tan(latitude) x (x^2 + 2 y^2) / (8 R length), x eastward, y northward.
    private func pieceCount(of edge: Edge, _ longest: Double) -> Int {
        let steepest = min(89.99, max(abs(edge.from.latitude), abs(edge.to.latitude)))
        let flattest = min(abs(edge.from.latitude), abs(edge.to.latitude))
        let radius = Ellipsoid.meanRadiusMeters
        let east =
            abs(edge.to.longitude - edge.from.longitude) * .radiansPerDegree * radius
            * cos(flattest * .radiansPerDegree)
        let north = abs(edge.to.latitude - edge.from.latitude) * .radiansPerDegree * radius
        let length = (east * east + north * north).squareRoot()
        guard length > 0 else { return 1 }
        let bow =
            tan(steepest * .radiansPerDegree) * east * (east * east + 2 * north * north)
            / (8 * radius * length)
        let wanted = max((bow / toleranceMeters).squareRoot(), length / longest)
        return max(1, Int(min(wanted.rounded(.up), 1_000_000)))
    }

    /// Shorter pieces (two names of a pole) are nothing, metres squared.
    private static let nothingSquared = 1e-12
}
