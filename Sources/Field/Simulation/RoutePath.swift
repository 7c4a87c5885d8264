import Geodesy

/// A route as a line that a vehicle can follow: straight pieces joined by arcs.
///
/// A corner is rounded within `roundingMeters` of its vertex, so that its lateral acceleration is
/// speed squared over a radius rather than infinite. A vertex with a stop is reached exactly.
struct RoutePath: Sendable {
    private(set) var pieces: [Piece] = []
    /// Metres along the path of each vertex of the route (of the middle of its arc).
    private(set) var vertexDistances: [Double] = []

    /// How far before and after a vertex the way may bend, metres.
    static let roundingMeters = 10.0
    /// Straight pieces are cut to this, so that one course and one scale hold for each, metres.
    static let straightMeters = 500.0
    /// A turn below is no bend, radians; one beyond `reversal` is made at rest.
    static let bend = 1e-4...2.97

    struct Piece: Sendable {
        /// Metres from the start of the path to that of the piece.
        let distance: Double
        let length: Double
        let start: Coordinate
        /// The direction at the start, one metre long.
        let direction: PlaneOffset
        let form: Form
        /// The vehicle stands here for so long before it drives the piece; nil: it drives through.
        let halt: Double?
    }

    enum Form: Sendable {
        /// To this coordinate.
        case straight(Coordinate)
        /// Radius in metres; clockwise or not.
        case arc(radius: Double, clockwise: Bool)
    }

    /// Metres.
    var length: Double { pieces.last.map { $0.distance + $0.length } ?? 0 }
    /// What the last vertex's stop asks for, seconds.
    private(set) var finalHalt = 0.0

    init(_ route: Route) {
        let stops = Dictionary(uniqueKeysWithValues: route.stops.map { ($0.vertex, $0.seconds) })
        // Positions that repeat their predecessor add their stop to it.
        var corners: [(position: Coordinate, halt: Double?)] = []
        var cornerOfVertex: [Int] = []
        for (vertex, position) in route.positions.enumerated() {
            if let last = corners.last, last.position == position {
                if let more = stops[vertex] {
                    corners[corners.count - 1].halt = (last.halt ?? 0) + more
                }
            } else {
                corners.append((position, stops[vertex]))
            }
            cornerOfVertex.append(corners.count - 1)
        }
        let distances = lay(corners)
        vertexDistances = cornerOfVertex.map { distances[$0] }
    }

    /// Lays the pieces and returns the distance of each corner along them.
    private mutating func lay(_ corners: [(position: Coordinate, halt: Double?)]) -> [Double] {
        var distances = [0.0]
        var from = corners[0].position
        var halt = corners[0].halt
        for index in 1..<corners.count {
            let corner = corners[index]
            guard index + 1 < corners.count else {
                addStraight(from: from, to: corner.position, halt: halt)
                finalHalt = corner.halt ?? 0
                distances.append(length)
                break
            }
            let arriving = corners[index - 1].position.offset(to: corner.position)
            let leaving = corner.position.offset(to: corners[index + 1].position)
            let turn = arriving.turn(to: leaving)
            if corner.halt == nil, Self.bend.contains(abs(turn)) {
                let rounding = min(
                    Self.roundingMeters, arriving.lengthMeters / 2, leaving.lengthMeters / 2)
                let backwards = arriving.scaled(by: -rounding / arriving.lengthMeters)
                let start = corner.position.moved(by: backwards)
                addStraight(from: from, to: start, halt: halt)
                addArc(
                    from: start, direction: arriving.scaled(by: 1 / arriving.lengthMeters),
                    turn: turn, rounding: rounding)
                distances.append(length - (pieces.last?.length ?? 0) / 2)
                from = corner.position.moved(
                    by: leaving.scaled(by: rounding / leaving.lengthMeters))
                halt = nil
            } else {
                addStraight(from: from, to: corner.position, halt: halt)
                distances.append(length)
                from = corner.position
                // Turning back on the spot needs a standstill even where no stop is asked for.
                halt = corner.halt ?? (abs(turn) > Self.bend.upperBound ? 0 : nil)
            }
        }
        return distances
    }

    private mutating func addStraight(from: Coordinate, to end: Coordinate, halt: Double?) {
        let whole = from.offset(to: end).lengthMeters
        guard whole > 1e-6 else { return }
        let count = max(1, Int((whole / Self.straightMeters).rounded(.up)))
        var start = from
        for index in 1...count {
            let next = index == count ? end : from.along(Double(index) / Double(count), to: end)
            let offset = start.offset(to: next)
            pieces.append(
                Piece(
                    distance: length, length: offset.lengthMeters, start: start,
                    direction: offset.scaled(by: 1 / offset.lengthMeters), form: .straight(next),
                    halt: index == 1 ? halt : nil))
            start = next
        }
    }

    private mutating func addArc(
        from start: Coordinate, direction: PlaneOffset, turn: Double, rounding: Double
    ) {
        let half = direction.turned(byRadians: abs(turn) / 2)
        let sine = direction.northMeters * half.eastMeters - direction.eastMeters * half.northMeters
        let cosine =
            direction.northMeters * half.northMeters + direction.eastMeters * half.eastMeters
        let radius = rounding * cosine / sine
        pieces.append(
            Piece(
                distance: length, length: radius * abs(turn), start: start, direction: direction,
                form: .arc(radius: radius, clockwise: turn > 0), halt: nil))
    }

    /// Where the path is at a distance from its start, and its direction there.
    func place(at distance: Double) -> (position: Coordinate, course: Double) {
        let piece = pieces[index(at: distance)]
        let way = min(max(0, distance - piece.distance), piece.length)
        switch piece.form {
        case .straight(let end):
            return (
                piece.start.along(way / piece.length, to: end), piece.direction.courseDegrees
            )
        case .arc(let radius, let clockwise):
            // The chord of an arc points half-way between its two tangents.
            let angle = way / radius * (clockwise ? 1 : -1)
            let half = piece.direction.turned(byRadians: angle / 2)
            let sideways = piece.direction.turned(byRadians: abs(angle) / 2)
            let sine =
                piece.direction.northMeters * sideways.eastMeters
                - piece.direction.eastMeters * sideways.northMeters
            return (
                piece.start.moved(by: half.scaled(by: 2 * radius * sine)),
                piece.direction.turned(byRadians: angle).courseDegrees
            )
        }
    }

    /// The piece that holds a distance; the first or the last beyond the ends.
    private func index(at distance: Double) -> Int {
        var (low, high) = (0, pieces.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if pieces[middle].distance <= distance { low = middle } else { high = middle - 1 }
        }
        return low
    }
}

extension Coordinate {
    /// The coordinate at a fraction of the line to another, straight in longitude and latitude.
    fileprivate func along(_ fraction: Double, to other: Coordinate) -> Coordinate {
        var longitudes = other.longitude - longitude
        if longitudes > 180 { longitudes -= 360 }
        if longitudes < -180 { longitudes += 360 }
        var east = longitude + longitudes * fraction
        if east > 180 { east -= 360 }
        if east < -180 { east += 360 }
        return Coordinate(
            latitude: latitude + (other.latitude - latitude) * fraction, longitude: east) ?? self
    }
}
