/// Ground that two shapes have in common.
extension PreparedShape {
    /// Whether a part of one lies deeper than so many metres in the other. Shapes that touch do not
    /// overlap, nor do neighbours whose common border was drawn twice with less between.
    ///
    /// Exact where one is a circle. Of two outlines every edge is looked at where it lies within
    /// the other, at three places of each such part, and then some places in the middle: one outline
    /// may lie upon the other. O(n m / 16) for outlines of n and m vertices.
    public func overlaps(_ other: PreparedShape, deeperThan meters: Double) -> Bool {
        switch (shape, other.shape) {
        case (.circle(let center, let radius), _):
            other.signedDistance(to: center) + radius > meters
        case (_, .circle(let center, let radius)):
            signedDistance(to: center) + radius > meters
        default:
            hasEdge(in: other, deeperThan: meters) || other.hasEdge(in: self, deeperThan: meters)
                || hasMiddle(in: other, deeperThan: meters)
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

    private func hasEdge(in other: PreparedShape, deeperThan meters: Double) -> Bool {
        for ring in polygons.flatMap(\.rings).compactMap(UnwrappedRing.init) {
            for (from, to) in zip(ring.positions, ring.positions.dropFirst()) {
                for place in other.insides(of: from, to, at: Self.places)
                where other.signedDistance(to: place) > meters { return true }
            }
        }
        return false
    }

    private func hasMiddle(in other: PreparedShape, deeperThan meters: Double) -> Bool {
        for ring in polygons.compactMap({ $0.rings.first.flatMap(UnwrappedRing.init) }) {
            let (width, height) = (ring.longitudes, ring.latitudes)
            for level in 1...Self.levels {
                let share = Double(level) / Double(Self.levels + 1)
                let latitude =
                    height.lowerBound + share * (height.upperBound - height.lowerBound)
                let row = insides(
                    of: PlanarPosition(longitude: width.lowerBound, latitude: latitude),
                    PlanarPosition(longitude: width.upperBound, latitude: latitude), at: [0.5])
                for place in row
                where signedDistance(to: place) > meters
                    && other.signedDistance(to: place) > meters
                { return true }
            }
        }
        return false
    }

    /// Places on the parts of a line that lie inside, at these shares of each part.
    private func insides(
        of from: PlanarPosition, _ to: PlanarPosition, at shares: [Double]
    ) -> [Coordinate] {
        guard let start = from.coordinate, let end = to.coordinate else { return [] }
        return crossings(from: start, to: end).parts.flatMap { part in
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
