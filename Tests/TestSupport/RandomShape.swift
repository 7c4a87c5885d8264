import Geodesy

/// Shapes of every kind, anywhere, that a server would take.
public enum RandomShape {
    /// Degrees.
    public static let leastSize = 0.0005
    public static let greatestSize = 1.5

    /// A circle, a star, or two stars, somewhere around a place; nil: this one would be refused.
    public static func make(
        around latitude: Double, _ longitude: Double, spread: Double,
        _ generator: inout SeededGenerator
    ) -> PreparedShape? {
        let lat = max(-89.9, min(89.9, latitude + spread * (2 * generator.unit() - 1)))
        let lon = longitude + spread * (2 * generator.unit() - 1)
        let ratio = generator.unit() * generator.unit()
        let size = leastSize + (greatestSize - leastSize) * ratio * ratio
        var shape: Shape?
        switch generator.next() % 4 {
        case 0, 1:
            shape = Coordinate(latitude: lat, longitude: wrapped(lon)).map {
                .circle(center: $0, radiusMeters: max(10, min(100_000, size * 111_000)))
            }
        case 2:
            shape = .polygon(Polygon(rings: [star(lat, lon, size, &generator)]))
        default:
            shape = .multiPolygon([
                Polygon(rings: [star(lat, lon, size / 2, &generator)]),
                Polygon(rings: [star(lat, lon + 1.5 * size, size / 2, &generator)]),
            ])
        }
        guard let shape, let prepared = try? PreparedShape(shape), !prepared.isDegraded else {
            return nil
        }
        return prepared
    }

    /// A place, more often than not near `latitude`, `longitude`.
    public static func place(
        around latitude: Double, _ longitude: Double, spread: Double,
        _ generator: inout SeededGenerator
    ) -> Coordinate? {
        if generator.next() % 8 == 0 {
            return Coordinate(
                latitude: 180 * generator.unit() - 90, longitude: 360 * generator.unit() - 180)
        }
        return Coordinate(
            latitude: max(-90, min(90, latitude + spread * (2.2 * generator.unit() - 1.1))),
            longitude: wrapped(longitude + spread * (2.2 * generator.unit() - 1.1)))
    }

    /// Degrees within -180 ... 180.
    public static func wrapped(_ longitude: Double) -> Double {
        longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    }

    private static func star(
        _ lat: Double, _ lon: Double, _ size: Double, _ generator: inout SeededGenerator
    ) -> [Coordinate] {
        let count = 3 + Int(generator.next() % 8)
        var ring: [Coordinate] = []
        for index in 0..<count {
            let (east, north) = unit(Double(index) / Double(count))
            let reach = size * (0.4 + 0.6 * generator.unit())
            if let corner = Coordinate(
                latitude: lat + reach * north, longitude: wrapped(lon + reach * east))
            {
                ring.append(corner)
            }
        }
        if let first = ring.first { ring.append(first) }
        return ring
    }

    /// A point of a square's outline, so that no mathematics library is needed.
    private static func unit(_ turn: Double) -> (east: Double, north: Double) {
        let side = turn * 4
        switch Int(side) {
        case 0: return (1, 2 * side - 1)
        case 1: return (1 - 2 * (side - 1), 1)
        case 2: return (-1, 1 - 2 * (side - 2))
        default: return (2 * (side - 3) - 1, -1)
        }
    }
}
