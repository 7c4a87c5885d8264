import Glibc

/// One polygon or several, laid out for measuring.
final class PolygonForm: Sendable {
    /// Metres; an outline that stays this near to its middle is measured in one plane.
    private static let flatMeters = 15_000.0
    /// Metres by which a chord may leave an edge that is straight in lon/lat.
    private static let flatTolerance = 0.002
    private static let wideTolerance = 0.01

    private let outline: Outline
    /// One for each polygon: a place is inside when it is inside any.
    private let insides: [EvenOddIndex]
    private let middleLongitude: Double
    private let tolerance: Double
    let area: Double
    let circle: EnclosingCircle
    let box: BoundingBox
    let ground: Ground

    /// Nil where no ring encloses anything.
    init?(_ polygons: [Polygon]) {
        var rings = polygons.map { $0.rings.compactMap(UnwrappedRing.init) }
            .filter { !$0.isEmpty }
        guard let line = rings.first?.first?.middleLongitude,
            let anchor = Self.middle(of: rings)
        else { return nil }
        for polygon in rings.indices {
            for ring in rings[polygon].indices {
                rings[polygon][ring].align(to: line)
            }
        }
        let isFlat = Self.reach(of: rings, from: anchor) <= Self.flatMeters
        var plan = EdgePlan(
            polygons: rings, toleranceMeters: isFlat ? Self.flatTolerance : Self.wideTolerance)
        let pieces = plan.pieces()
        outline = Outline(pieces: pieces, anchor: isFlat ? anchor : nil)
        guard !outline.isEmpty else { return nil }
        // The way over the pole closes a ring in the plane; it is no edge to be measured to.
        let closed = rings.map { $0.map { $0.closedOverPole() } }
        insides = closed.map(EvenOddIndex.init)
        tolerance = plan.toleranceMeters
        let west = insides.map(\.west).min() ?? line
        let east = insides.map(\.east).max() ?? line
        middleLongitude = (west + east) / 2
        box = BoundingBox(
            south: insides.map(\.south).min() ?? 0, north: insides.map(\.north).max() ?? 0,
            west: west, east: east)
        circle = Self.circle(around: pieces, anchor: anchor)
        ground = outline.ground(
            isFlat ? anchor : circle.center, toleranceMeters: plan.toleranceMeters)
        area = closed.reduce(0) { $0 + RingArea.squareMeters(ofPolygon: $1) }
    }

    var pieceCount: Int { outline.pieceCount }

    func signedDistance(to point: SurfacePoint) -> Double {
        let distance = outline.distance(to: point)
        let place = planar(point.coordinate)
        if distance <= 2 * tolerance, insides.contains(where: { $0.hasOnEdge(place) }) { return 0 }
        return contains(place) ? distance : -distance
    }

    /// Positive inside: the least distance to an edge, of the inside wherever the way touches it.
    func edgeDistance(toWayFrom start: SurfacePoint, to end: SurfacePoint) -> Double {
        if contains(planar(start.coordinate)) || contains(planar(end.coordinate)) { return 0 }
        return start.chordSquared(to: end) < 1e-12
            ? outline.distance(to: start) : outline.distance(toWayFrom: start, to: end)
    }

    /// The shares of the way between two places that lie inside, in order, and at how many places
    /// that was asked.
    func insides(
        from start: Coordinate, to end: Coordinate
    ) -> (parts: [ClosedRange<Double>], places: Int) {
        let from = planar(start)
        var to = planar(end)
        to.longitude = to.longitude.unwrapped(around: from.longitude)
        var cuts = [0.0, 1.0]
        for inside in insides { inside.appendCuts(of: from, to, into: &cuts) }
        cuts.sort()
        var result: [ClosedRange<Double>] = []
        for (entry, exit) in zip(cuts, cuts.dropFirst()) where exit > entry {
            let middle = PlanarPosition(
                longitude: from.longitude + (entry + exit) / 2 * (to.longitude - from.longitude),
                latitude: from.latitude + (entry + exit) / 2 * (to.latitude - from.latitude))
            guard contains(middle) else { continue }
            if let last = result.last, last.upperBound == entry {
                result[result.count - 1] = last.lowerBound...exit
            } else {
                result.append(entry...exit)
            }
        }
        return (result, cuts.count - 1)
    }

    private func contains(_ place: PlanarPosition) -> Bool {
        insides.contains { $0.contains(place) }
    }

    private func planar(_ coordinate: Coordinate) -> PlanarPosition {
        PlanarPosition(
            longitude: coordinate.longitude.unwrapped(around: middleLongitude),
            latitude: coordinate.latitude)
    }
}

// MARK: - Laying out

extension PolygonForm {
    /// The point of the surface below the mean of all positions in space.
    private static func middle(of rings: [[UnwrappedRing]]) -> Coordinate? {
        var x = 0.0
        var y = 0.0
        var z = 0.0
        for ring in rings.joined() {
            for position in ring.positions {
                guard let point = position.coordinate.map(SurfacePoint.init) else { continue }
                x += point.x
                y += point.y
                z += point.z
            }
        }
        let latitude = atan2(
            z, (x * x + y * y).squareRoot() * (1 - Ellipsoid.eccentricitySquared))
        return Coordinate(
            latitude: latitude / .radiansPerDegree, longitude: atan2(y, x) / .radiansPerDegree)
    }

    private static func reach(of rings: [[UnwrappedRing]], from anchor: Coordinate) -> Double {
        let origin = SurfacePoint(anchor)
        var farthest = 0.0
        for position in rings.joined().map(\.positions).joined() {
            guard let coordinate = position.coordinate else { continue }
            farthest = max(farthest, origin.distance(to: SurfacePoint(coordinate)))
        }
        return farthest
    }

    private static func circle(
        around pieces: [(from: SurfacePoint, to: SurfacePoint)], anchor: Coordinate
    ) -> EnclosingCircle {
        let frame = LocalFrame(anchor: anchor)
        let points = pieces.map { frame.project($0.from) } + pieces.map { frame.project($0.to) }
        let plane = PlaneCircle(around: points)
        let center = frame.coordinate(at: plane.center) ?? anchor
        let origin = SurfacePoint(center)
        let radius = pieces.reduce(0) {
            max($0, origin.distance(to: $1.from), origin.distance(to: $1.to))
        }
        return EnclosingCircle(center: center, radiusMeters: radius)
    }
}

extension EvenOddIndex {
    /// Where a way crosses an edge, as shares of the way.
    func appendCuts(of start: PlanarPosition, _ end: PlanarPosition, into cuts: inout [Double]) {
        let dx = end.longitude - start.longitude
        let dy = end.latitude - start.latitude
        forEachEdge(
            west: min(start.longitude, end.longitude), east: max(start.longitude, end.longitude),
            south: min(start.latitude, end.latitude), north: max(start.latitude, end.latitude)
        ) { from, to in
            let ex = to.longitude - from.longitude
            let ey = to.latitude - from.latitude
            let turn = dx * ey - dy * ex
            guard turn != 0 else { return }
            let wx = from.longitude - start.longitude
            let wy = from.latitude - start.latitude
            let share = (wx * ey - wy * ex) / turn
            let place = (wx * dy - wy * dx) / turn
            if share > 0, share < 1, place >= -1e-9, place <= 1 + 1e-9 { cuts.append(share) }
        }
    }
}
