/// Finds what a server refuses in a shape.
public enum ShapeValidator {
    /// Self-intersections reported of one shape; one is enough to refuse it.
    public static let intersectionLimit = 10

    /// In the order of the positions; empty: none. The extent is checked by `PreparedShape`, which
    /// knows the enclosing circle.
    public static func defects(of shape: Shape) -> [ShapeDefect] {
        switch shape {
        case .circle(let center, let radius):
            // NaN is in no range.
            ShapeLimits.radiusMeters.contains(radius)
                ? []
                : [
                    ShapeDefect(
                        .radiusOutOfRange, longitude: center.longitude, latitude: center.latitude)
                ]
        case .polygon(let polygon): defects(of: [polygon])
        case .multiPolygon(let polygons): defects(of: polygons)
        }
    }

    private static func defects(of polygons: [Polygon]) -> [ShapeDefect] {
        guard !polygons.isEmpty else { return [ShapeDefect(.empty)] }
        let vertices = polygons.reduce(0) { $0 + $1.rings.reduce(0) { $0 + $1.count } }
        guard vertices <= ShapeLimits.vertices else { return [ShapeDefect(.tooManyVertices)] }
        var result: [ShapeDefect] = []
        for (index, polygon) in polygons.enumerated() {
            if polygon.rings.isEmpty { result.append(ShapeDefect(.empty, polygon: index)) }
            var rings: [(ring: Int, UnwrappedRing)] = []
            for (ring, positions) in polygon.rings.enumerated() {
                result += defects(of: positions, polygon: index, ring: ring)
                if let unwrapped = UnwrappedRing(positions) { rings.append((ring, unwrapped)) }
            }
            result += SelfIntersections.find(
                in: rings, polygon: index, limit: intersectionLimit)
            result += holesOutside(rings, polygon: index)
        }
        return result
    }

    private static func defects(
        of positions: [Coordinate], polygon: Int, ring: Int
    ) -> [ShapeDefect] {
        func defect(_ code: ShapeDefect.Code, at position: Int) -> ShapeDefect {
            let place = positions.indices.contains(position) ? positions[position] : nil
            return ShapeDefect(
                code, polygon: polygon, ring: ring, position: position,
                longitude: place?.longitude, latitude: place?.latitude)
        }
        guard positions.count >= 4, let unwrapped = UnwrappedRing(positions) else {
            return [defect(.tooFewPositions, at: 0)]
        }
        var result: [ShapeDefect] = []
        if positions.first != positions.last {
            result.append(defect(.unclosed, at: positions.count - 1))
        }
        if unwrapped.turns != 0 {
            result.append(defect(.holdsPole, at: 0))
        } else if let place = unwrapped.firstBeyondHalfTurn {
            result.append(defect(.tooWide, at: place))
        } else if RingArea.squareMeters(of: unwrapped) < leastArea {
            result.append(defect(.zeroArea, at: 0))
        }
        return result
    }

    private static func holesOutside(
        _ rings: [(ring: Int, UnwrappedRing)], polygon: Int
    ) -> [ShapeDefect] {
        guard let exterior = rings.first, exterior.ring == 0, exterior.1.turns == 0 else {
            return []
        }
        let inside = EvenOddIndex(rings: [exterior.1])
        return rings.dropFirst().compactMap { ring, hole in
            var hole = hole
            hole.align(to: exterior.1.middleLongitude)
            guard !hole.isPartly(in: inside), let first = hole.positions.first else { return nil }
            return ShapeDefect(
                .holeOutside, polygon: polygon, ring: ring, position: 0,
                longitude: first.coordinate?.longitude, latitude: first.latitude)
        }
    }

    /// Square metres; less is nothing.
    private static let leastArea = 0.01
}

extension UnwrappedRing {
    /// Whether a position or the middle of an edge lies inside: a hole may touch the exterior ring
    /// with every corner.
    fileprivate func isPartly(in inside: EvenOddIndex) -> Bool {
        zip(positions, positions.dropFirst()).contains { from, to in
            let middle = PlanarPosition(
                longitude: (from.longitude + to.longitude) / 2,
                latitude: (from.latitude + to.latitude) / 2)
            return inside.contains(from) || inside.contains(middle)
        }
    }

    /// The position as drawn at which the ring becomes wider than 180 degrees; nil: never.
    fileprivate var firstBeyondHalfTurn: Int? {
        var west = Double.infinity
        var east = -Double.infinity
        for (position, source) in zip(positions, sources) {
            west = min(west, position.longitude)
            east = max(east, position.longitude)
            if east - west > 180 { return source }
        }
        return nil
    }
}
