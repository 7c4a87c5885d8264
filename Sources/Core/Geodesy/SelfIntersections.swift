/// Finds edges of a polygon that cross, overlap, or touch within one ring.
///
/// Edges are swept from west to east (or south to north, along the longer side), so that only
/// those whose boxes meet are compared.
enum SelfIntersections {
    private struct Edge {
        var from, to: PlanarPosition
        var ring: Int
        /// Within its ring, and how many the ring has.
        var index, count: Int
        var source: Int
        var low, high: Double

        func isNeighbour(of other: Edge) -> Bool {
            guard ring == other.ring else { return false }
            let step = abs(index - other.index)
            return step == 1 || step == count - 1
        }
    }

    static func find(
        in rings: [(ring: Int, UnwrappedRing)], polygon: Int, limit: Int
    ) -> [ShapeDefect] {
        var result: [ShapeDefect] = []
        let edges = sorted(rings)
        for (position, edge) in edges.enumerated() {
            for other in edges[(position + 1)...] {
                if other.low > edge.high { break }
                guard let place = meeting(edge, other) else { continue }
                let named = min(edge.source, other.source)
                result.append(
                    ShapeDefect(
                        .selfIntersection, polygon: polygon, ring: edge.ring, position: named,
                        longitude: place.longitude.wrappedLongitude, latitude: place.latitude))
                if result.count == limit { return result }
            }
        }
        return result
    }

    private static func sorted(_ rings: [(ring: Int, UnwrappedRing)]) -> [Edge] {
        guard let line = rings.first?.1.middleLongitude else { return [] }
        let size = rings[0].1
        let isWide =
            size.longitudes.upperBound - size.longitudes.lowerBound
            >= size.latitudes.upperBound - size.latitudes.lowerBound
        var edges: [Edge] = []
        for (ring, unwrapped) in rings {
            var aligned = unwrapped
            aligned.align(to: line)
            let count = aligned.positions.count - 1
            for index in 0..<count {
                let from = aligned.positions[index]
                let to = aligned.positions[index + 1]
                let ends = isWide ? (from.longitude, to.longitude) : (from.latitude, to.latitude)
                edges.append(
                    Edge(
                        from: from, to: to, ring: ring, index: index, count: count,
                        source: aligned.sources[index], low: min(ends.0, ends.1),
                        high: max(ends.0, ends.1)))
            }
        }
        return edges.sorted { $0.low < $1.low }
    }

    /// Where two edges meet in a way that a polygon must not; nil: they do not.
    private static func meeting(_ one: Edge, _ other: Edge) -> PlanarPosition? {
        guard
            max(one.from.latitude, one.to.latitude) >= min(other.from.latitude, other.to.latitude),
            max(other.from.latitude, other.to.latitude) >= min(one.from.latitude, one.to.latitude),
            max(one.from.longitude, one.to.longitude)
                >= min(other.from.longitude, other.to.longitude),
            max(other.from.longitude, other.to.longitude)
                >= min(one.from.longitude, one.to.longitude)
        else { return nil }
        let a = side(one.from, one.to, other.from)
        let b = side(one.from, one.to, other.to)
        let c = side(other.from, other.to, one.from)
        let d = side(other.from, other.to, one.to)
        if a * b < 0, c * d < 0 {
            let share = c / (c - d)
            return PlanarPosition(
                longitude: one.from.longitude + share * (one.to.longitude - one.from.longitude),
                latitude: one.from.latitude + share * (one.to.latitude - one.from.latitude))
        }
        if a == 0, b == 0 { return overlap(one, other) }
        guard one.ring == other.ring, !one.isNeighbour(of: other) else { return nil }
        if a == 0, isWithin(other.from, one) { return other.from }
        if b == 0, isWithin(other.to, one) { return other.to }
        if c == 0, isWithin(one.from, other) { return one.from }
        if d == 0, isWithin(one.to, other) { return one.to }
        return nil
    }

    /// Edges on one line: more than a shared end is an overlap.
    private static func overlap(_ one: Edge, _ other: Edge) -> PlanarPosition? {
        for (place, edge) in [
            (other.from, one), (other.to, one), (one.from, other), (one.to, other),
        ] where isWithin(place, edge) && place != edge.from && place != edge.to {
            return place
        }
        let isSame =
            (one.from == other.from && one.to == other.to)
            || (one.from == other.to && one.to == other.from)
        return isSame ? one.from : nil
    }

    /// For a place on the edge's line.
    private static func isWithin(_ place: PlanarPosition, _ edge: Edge) -> Bool {
        place.longitude >= min(edge.from.longitude, edge.to.longitude)
            && place.longitude <= max(edge.from.longitude, edge.to.longitude)
            && place.latitude >= min(edge.from.latitude, edge.to.latitude)
            && place.latitude <= max(edge.from.latitude, edge.to.latitude)
    }

    private static func side(
        _ from: PlanarPosition, _ to: PlanarPosition, _ place: PlanarPosition
    ) -> Double {
        (to.longitude - from.longitude) * (place.latitude - from.latitude)
            - (place.longitude - from.longitude) * (to.latitude - from.latitude)
    }
}
