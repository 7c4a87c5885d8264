/// A place in the lon/lat plane, degrees; the longitude may lie beyond 180.
struct PlanarPosition: Hashable, Sendable {
    var longitude: Double
    var latitude: Double

    /// Nil never happens for positions that came from coordinates.
    var coordinate: Coordinate? {
        Coordinate(latitude: latitude, longitude: longitude.wrappedLongitude)
    }
}

/// A ring on one line of longitudes: every edge goes the short way round.
struct UnwrappedRing: Sendable {
    /// Closed, without repeated neighbours.
    private(set) var positions: [PlanarPosition] = []
    /// For each of `positions` its index in the ring as drawn.
    private(set) var sources: [Int] = []
    /// Whole turns around the Earth; a ring with any holds a pole.
    private(set) var turns = 0

    /// Nil for a ring with fewer than 3 different neighbours in a row: it encloses nothing.
    init?(_ ring: [Coordinate]) {
        guard let first = ring.first else { return nil }
        var longitude = first.longitude
        for (index, coordinate) in ring.enumerated() {
            longitude = coordinate.longitude.unwrapped(around: longitude)
            append(PlanarPosition(longitude: longitude, latitude: coordinate.latitude), index)
        }
        close(at: first)
        guard positions.count >= 4 else { return nil }
    }

    private mutating func append(_ position: PlanarPosition, _ source: Int) {
        guard position != positions.last else { return }
        positions.append(position)
        sources.append(source)
    }

    private mutating func close(at first: Coordinate) {
        guard let start = positions.first, let last = positions.last else { return }
        let end = first.longitude.unwrapped(around: last.longitude)
        turns = Int(((end - start.longitude) / 360).rounded())
        append(PlanarPosition(longitude: end, latitude: first.latitude), 0)
    }

    /// Degrees.
    var longitudes: ClosedRange<Double> {
        var low = Double.infinity
        var high = -Double.infinity
        for position in positions {
            low = min(low, position.longitude)
            high = max(high, position.longitude)
        }
        return low <= high ? low...high : 0...0
    }

    /// Degrees.
    var latitudes: ClosedRange<Double> {
        var low = Double.infinity
        var high = -Double.infinity
        for position in positions {
            low = min(low, position.latitude)
            high = max(high, position.latitude)
        }
        return low <= high ? low...high : 0...0
    }

    var middleLongitude: Double { (longitudes.lowerBound + longitudes.upperBound) / 2 }

    /// Moves the ring by whole turns next to a longitude.
    mutating func align(to longitude: Double) {
        let middle = middleLongitude
        let shift = middle.unwrapped(around: longitude) - middle
        guard shift != 0 else { return }
        for index in positions.indices { positions[index].longitude += shift }
    }

    /// A ring that goes round the Earth led over the nearer pole, so that it closes in the plane.
    func closedOverPole() -> UnwrappedRing {
        guard turns != 0, let first = positions.first, let last = positions.last else {
            return self
        }
        var result = self
        let mean = positions.reduce(0) { $0 + $1.latitude } / Double(positions.count)
        let pole = mean < 0 ? -90.0 : 90.0
        for longitude in [last.longitude, first.longitude] {
            result.append(PlanarPosition(longitude: longitude, latitude: pole), 0)
        }
        result.append(first, 0)
        return result
    }
}
