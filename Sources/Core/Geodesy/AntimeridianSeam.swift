/// The cut along the antimeridian by which RFC 7946 (section 3.1.9) splits a shape.
///
/// Where a polygon on its west and one on its east touch along the meridian, the edge is an
/// artefact of the format: nothing changes there, so nothing is measured to it.
struct AntimeridianSeam {
    enum Side { case west, east, across }

    private var west: [ClosedRange<Double>] = []
    private var east: [ClosedRange<Double>] = []

    init(polygons: [[UnwrappedRing]]) {
        guard polygons.count > 1 else { return }
        for ring in polygons.joined() {
            let side = side(of: ring)
            for (from, to) in zip(ring.positions, ring.positions.dropFirst()) {
                guard let range = Self.latitudesOnMeridian(from, to) else { continue }
                if side == .west { west.append(range) }
                if side == .east { east.append(range) }
            }
        }
    }

    /// Where a ring lies as seen from the antimeridian nearest to its middle.
    func side(of ring: UnwrappedRing) -> Side {
        let range = ring.longitudes
        let meridian = 180.0.unwrapped(around: (range.lowerBound + range.upperBound) / 2)
        for line in [meridian, meridian - 360, meridian + 360] {
            if range.upperBound == line { return .west }
            if range.lowerBound == line { return .east }
        }
        return .across
    }

    /// The parts of an edge at which inside and outside meet.
    func visibleParts(of edge: EdgePlan.Edge, on side: Side) -> [EdgePlan.Edge] {
        guard side != .across, let range = Self.latitudesOnMeridian(edge.from, edge.to) else {
            return [edge]
        }
        let hidden = side == .west ? east : west
        return Self.subtract(hidden, from: range).map {
            EdgePlan.Edge(
                from: PlanarPosition(longitude: edge.from.longitude, latitude: $0.lowerBound),
                to: PlanarPosition(longitude: edge.from.longitude, latitude: $0.upperBound))
        }
    }

    private static func latitudesOnMeridian(
        _ from: PlanarPosition, _ to: PlanarPosition
    ) -> ClosedRange<Double>? {
        guard from.longitude == to.longitude, abs(from.longitude.wrappedLongitude) == 180 else {
            return nil
        }
        return min(from.latitude, to.latitude)...max(from.latitude, to.latitude)
    }

    private static func subtract(
        _ hidden: [ClosedRange<Double>], from whole: ClosedRange<Double>
    ) -> [ClosedRange<Double>] {
        var rest: [ClosedRange<Double>] = []
        var start = whole.lowerBound
        for range in hidden.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > start, start < whole.upperBound {
                rest.append(start...min(range.lowerBound, whole.upperBound))
            }
            start = max(start, range.upperBound)
        }
        if start < whole.upperBound { rest.append(start...whole.upperBound) }
        return rest
    }
}
