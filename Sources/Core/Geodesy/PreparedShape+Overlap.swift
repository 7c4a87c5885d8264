/// Ground that two shapes have in common.
extension PreparedShape {
    /// Whether a part of one lies deeper than so many metres in the other; nil: the effort was used up
    /// before that was known. Shapes that touch do not overlap, nor do neighbours whose common border
    /// was drawn twice with less between.
    ///
    /// Exact where one is a circle. Of two outlines every edge is looked at where it lies within
    /// the other, at three places of each such part, and then some places in the middle: one outline
    /// may lie upon the other.
    ///
    /// Of outlines that cross each other everywhere every edge meets every other one, and each part of
    /// it is asked at places that may look at every edge again: n m places for n and m vertices. The
    /// effort is charged by what it costs at most, and passed by one edge at the most.
    public func overlaps(
        _ other: PreparedShape, deeperThan meters: Double, within effort: inout OverlapEffort
    ) -> Bool? {
        guard effort.spend(Self.basicCost * (1 + (vertexCount + other.vertexCount) / 8))
        else { return nil }
        switch (shape, other.shape) {
        case (.circle(let center, let radius), _):
            guard effort.spend(other.distanceCost) else { return nil }
            return other.signedDistance(to: center) + radius > meters
        case (_, .circle(let center, let radius)):
            guard effort.spend(distanceCost) else { return nil }
            return signedDistance(to: center) + radius > meters
        default:
            let isFound =
                hasEdge(in: other, deeperThan: meters, &effort)
                || other.hasEdge(in: self, deeperThan: meters, &effort)
                || hasMiddle(in: other, deeperThan: meters, &effort)
            return isFound ? true : effort.isUsedUp ? nil : false
        }
    }

    /// Positions of all rings together; 0 of a circle.
    public var vertexCount: Int {
        polygons.reduce(0) { $1.rings.reduce($0) { $0 + $1.count } }
    }

    private var polygons: [Polygon] {
        switch shape {
        case .circle: []
        case .polygon(let polygon): [polygon]
        case .multiPolygon(let polygons): polygons
        }
    }

    private static let places = [0.25, 0.5, 0.75]
    private static let levels = 7
    /// As edges: what is worked out once for a place or an edge, whatever the outline.
    private static let basicCost = 100

    /// Edges that are looked at, at most, for whether a place lies inside.
    private var placeCost: Int { Self.basicCost + vertexCount }
    /// The same for how deep it lies: edges are measured in pieces, each of which costs more than a
    /// side, and a place near one is looked for on every edge.
    private var distanceCost: Int { Self.basicCost + 2 * vertexCount + 3 * pieceCount }

    private func hasEdge(
        in other: PreparedShape, deeperThan meters: Double, _ effort: inout OverlapEffort
    ) -> Bool {
        let box = other.boundingBox
        let (placeCost, distanceCost) = (other.placeCost, other.distanceCost)
        for ring in polygons.flatMap(\.rings).compactMap(UnwrappedRing.init) {
            for (from, to) in zip(ring.positions, ring.positions.dropFirst()) {
                guard effort.spend(1) else { return false }
                guard box.mayHold(from, to) else { continue }
                let places = other.insides(
                    of: from, to, at: Self.places, cost: placeCost, &effort)
                for place in places {
                    guard effort.spend(distanceCost) else { return false }
                    if other.signedDistance(to: place) > meters { return true }
                }
            }
        }
        return false
    }

    private func hasMiddle(
        in other: PreparedShape, deeperThan meters: Double, _ effort: inout OverlapEffort
    ) -> Bool {
        let (placeCost, depthCost) = (placeCost, distanceCost + other.distanceCost)
        for ring in polygons.compactMap({ $0.rings.first.flatMap(UnwrappedRing.init) }) {
            let (width, height) = (ring.longitudes, ring.latitudes)
            for level in 1...Self.levels {
                let share = Double(level) / Double(Self.levels + 1)
                let latitude =
                    height.lowerBound + share * (height.upperBound - height.lowerBound)
                let row = insides(
                    of: PlanarPosition(longitude: width.lowerBound, latitude: latitude),
                    PlanarPosition(longitude: width.upperBound, latitude: latitude), at: [0.5],
                    cost: placeCost, &effort)
                for place in row {
                    guard effort.spend(depthCost) else { return false }
                    if signedDistance(to: place) > meters,
                        other.signedDistance(to: place) > meters
                    {
                        return true
                    }
                }
            }
        }
        return false
    }

    /// Places on the parts of a line that lie inside, at these shares of each part; none where the
    /// effort is used up.
    private func insides(
        of from: PlanarPosition, _ to: PlanarPosition, at shares: [Double],
        cost placeCost: Int, _ effort: inout OverlapEffort
    ) -> [Coordinate] {
        guard effort.spend(placeCost), let start = from.coordinate, let end = to.coordinate
        else { return [] }
        let (parts, asked) = insides(from: start, to: end)
        guard effort.spend(placeCost, times: asked) else { return [] }
        return parts.flatMap { part in
            shares.compactMap { share in
                let way = part.lowerBound + share * (part.upperBound - part.lowerBound)
                return PlanarPosition(
                    longitude: from.longitude + way * (to.longitude - from.longitude),
                    latitude: from.latitude + way * (to.latitude - from.latitude)
                ).coordinate
            }
        }
    }
}

extension BoundingBox {
    /// Whether a line's own box reaches into it; the longitudes may lie on another turn.
    fileprivate func mayHold(_ from: PlanarPosition, _ to: PlanarPosition) -> Bool {
        guard max(from.latitude, to.latitude) >= south, min(from.latitude, to.latitude) <= north
        else { return false }
        let first = min(from.longitude, to.longitude)
        let width = max(from.longitude, to.longitude) - first
        // The last turn on which the line begins before the box ends.
        let start = first + 360 * ((east - first) / 360).rounded(.down)
        return start + width >= west - Self.roundingDegrees
            || east - start >= 360 - Self.roundingDegrees
    }

    /// What moving longitudes by turns may round away, and more.
    fileprivate static let roundingDegrees = 1e-9
}
