/// Whether a place lies in a polygon: even-odd over all its rings, half-open edges, in the lon/lat
/// plane in which RFC 7946 draws the edges straight.
struct EvenOddIndex: Sendable {
    private static let groupSize = 16

    /// Edges that follow each other within one ring, with the box around them.
    private struct Group: Sendable {
        var first: Int
        var last: Int
        var west, east, south, north: Double
    }

    private var positions: ContiguousArray<PlanarPosition> = []
    private var groups: ContiguousArray<Group> = []
    private(set) var west = Double.infinity
    private(set) var east = -Double.infinity
    private(set) var south = Double.infinity
    private(set) var north = -Double.infinity

    init(rings: [UnwrappedRing]) {
        for ring in rings { append(ring.positions) }
    }

    private mutating func append(_ ring: [PlanarPosition]) {
        let start = positions.count
        positions += ring
        let end = positions.count - 1
        for first in stride(from: start, to: end, by: Self.groupSize) {
            var group = Group(
                first: first, last: min(end, first + Self.groupSize), west: .infinity,
                east: -.infinity, south: .infinity, north: -.infinity)
            for position in positions[first...group.last] {
                group.west = min(group.west, position.longitude)
                group.east = max(group.east, position.longitude)
                group.south = min(group.south, position.latitude)
                group.north = max(group.north, position.latitude)
            }
            groups.append(group)
            west = min(west, group.west)
            east = max(east, group.east)
            south = min(south, group.south)
            north = max(north, group.north)
        }
    }

    /// A ray to the east crosses an odd number of edges. The longitude is on the rings' line.
    func contains(_ place: PlanarPosition) -> Bool {
        guard place.latitude >= south, place.latitude <= north, place.longitude >= west,
            place.longitude <= east
        else { return false }
        var isInside = false
        for group in groups {
            if place.latitude < group.south || place.latitude > group.north
                || place.longitude > group.east
            {
                continue
            }
            if place.longitude < group.west {
                let isFirstAbove = positions[group.first].latitude > place.latitude
                let isLastAbove = positions[group.last].latitude > place.latitude
                if isFirstAbove != isLastAbove { isInside.toggle() }
            } else if crossesOdd(group, place) {
                isInside.toggle()
            }
        }
        return isInside
    }

    private func crossesOdd(_ group: Group, _ place: PlanarPosition) -> Bool {
        var isOdd = false
        var from = positions[group.first]
        for index in group.first + 1...group.last {
            let to = positions[index]
            if (from.latitude > place.latitude) != (to.latitude > place.latitude) {
                let side =
                    (to.longitude - from.longitude) * (place.latitude - from.latitude)
                    - (place.longitude - from.longitude) * (to.latitude - from.latitude)
                if (side > 0) == (to.latitude > from.latitude), side != 0 { isOdd.toggle() }
            }
            from = to
        }
        return isOdd
    }

    /// Calls `body` with each edge whose box reaches into the given one.
    func forEachEdge(
        west: Double, east: Double, south: Double, north: Double,
        _ body: (PlanarPosition, PlanarPosition) -> Void
    ) {
        for group in groups
        where group.west <= east && group.east >= west && group.south <= north
            && group.north >= south
        {
            for index in group.first..<group.last {
                let from = positions[index]
                let to = positions[index + 1]
                guard min(from.longitude, to.longitude) <= east,
                    max(from.longitude, to.longitude) >= west,
                    min(from.latitude, to.latitude) <= north,
                    max(from.latitude, to.latitude) >= south
                else { continue }
                body(from, to)
            }
        }
    }

    /// Whether an edge runs through the place, to a few micrometres.
    func hasOnEdge(_ place: PlanarPosition) -> Bool {
        let reach = Self.onEdgeDegrees
        var isOnEdge = false
        forEachEdge(
            west: place.longitude - reach, east: place.longitude + reach,
            south: place.latitude - reach, north: place.latitude + reach
        ) { from, to in
            let dx = to.longitude - from.longitude
            let dy = to.latitude - from.latitude
            let side =
                dx * (place.latitude - from.latitude) - (place.longitude - from.longitude) * dy
            if side * side <= reach * reach * (dx * dx + dy * dy) { isOnEdge = true }
        }
        return isOnEdge
    }

    /// A few micrometres on the ground, a hundred roundings of a longitude near 180.
    private static let onEdgeDegrees = 3e-12 * 10
}
