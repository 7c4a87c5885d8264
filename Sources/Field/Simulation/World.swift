import Geodesy
import Geofencing

/// A seeded piece of country full of fences, and ways through it.
public struct World: Sendable {
    public let seed: UInt64
    public let center: Coordinate
    /// Metres from the centre to each side of the square.
    public let halfWidthMeters: Double
    public let fences: [Fence]

    /// How the fences lie.
    public enum Density: String, CaseIterable, Sendable {
        /// 40 in 1,600 km2: mostly nothing near.
        case sparse
        /// 2,000 in 400 km2.
        case dense
        /// 600 in 400 km2, most of them in 12 towns.
        case clustered

        var count: Int {
            switch self {
            case .sparse: 40
            case .dense: 2000
            case .clustered: 600
            }
        }

        var halfWidthMeters: Double { self == .sparse ? 20_000 : 10_000 }
    }

    /// `count` replaces the number of fences that the density has by itself.
    public init(_ density: Density, center: Coordinate, count: Int? = nil, seed: UInt64) {
        self.seed = seed
        self.center = center
        halfWidthMeters = density.halfWidthMeters
        var generator = SeededGenerator(seed: seed, stream: 16)
        let halfWidth = density.halfWidthMeters
        let towns = (0..<12).map { _ in generator.offset(within: halfWidth) }
        fences = (0..<max(0, count ?? density.count)).map { index in
            var offset = generator.offset(within: halfWidth)
            if density == .clustered, generator.uniform() < 0.9 {
                offset =
                    towns[index % towns.count]
                    + PlaneOffset(
                        eastMeters: 600 * generator.normal(), northMeters: 600 * generator.normal())
            }
            return generator.fence(number: index, at: center.moved(by: offset))
        }
    }

    /// A way through random fences and past random places; the same `number`, the same way.
    ///
    /// At every other fence it stops for up to three minutes. Throws only for a world at a pole.
    public func route(number: UInt64, vertices: Int = 8) throws(RouteError) -> Route {
        var generator = SeededGenerator(seed: seed, stream: 1000 &+ number)
        var positions: [Coordinate] = []
        var stops: [Route.Stop] = []
        for vertex in 0..<max(2, vertices) {
            if vertex % 2 == 1,
                let place = fences.randomElement(using: &generator)?.shape.somewhere
            {
                positions.append(place)
                if generator.uniform() < 0.5 {
                    stops.append(
                        Route.Stop(vertex: vertex, seconds: generator.uniform(in: 5..<180)))
                }
            } else {
                positions.append(center.moved(by: generator.offset(within: halfWidthMeters)))
            }
        }
        return try Route(
            positions: positions, speedMetersPerSecond: generator.uniform(in: 8..<30),
            stops: stops)
    }
}

extension SeededGenerator {
    fileprivate mutating func offset(within halfWidth: Double) -> PlaneOffset {
        PlaneOffset(
            eastMeters: uniform(in: -halfWidth..<halfWidth),
            northMeters: uniform(in: -halfWidth..<halfWidth))
    }

    /// A circle, a polygon, or two polygons of which one has a hole: 6, 3 and 1 in ten.
    fileprivate mutating func fence(number: Int, at center: Coordinate) -> Fence {
        let radius = uniform(in: 30..<300)
        let shape: Shape
        switch uniform() {
        case ..<0.6:
            shape = .circle(center: center, radiusMeters: radius)
        case ..<0.9:
            shape = .polygon(Polygon(rings: [ring(center, radius: radius, from: 0.5)]))
        default:
            let beside = center.moved(
                by: PlaneOffset(eastMeters: radius * 2.5, northMeters: radius / 2))
            shape = .multiPolygon([
                Polygon(rings: [
                    ring(center, radius: radius, from: 0.7),
                    ring(center, radius: radius / 3, from: 0.5),
                ]),
                Polygon(rings: [ring(beside, radius: radius, from: 0.5)]),
            ])
        }
        return Fence(
            id: "fence-\(number)", name: "Fence \(number)", shape: shape,
            dwellSeconds: uniform() < 0.5 ? uniform(in: 20..<300).rounded() : nil)
    }

    /// A star-shaped ring of 5 to 9 corners, `from` x radius to radius away from its middle.
    private mutating func ring(
        _ center: Coordinate, radius: Double, from inner: Double
    ) -> [Coordinate] {
        let count = Int.random(in: 5...9, using: &self)
        var corners = (0..<count).map { index in
            let way = PlaneOffset(eastMeters: 0, northMeters: radius * uniform(in: inner..<1))
            return center.moved(
                by: way.turned(byRadians: -2 * .pi * Double(index) / Double(count)))
        }
        corners.append(corners[0])
        return corners
    }
}

extension Shape {
    /// The centre of a circle; else the mean of a first ring's corners.
    fileprivate var somewhere: Coordinate? {
        switch self {
        case .circle(let center, _): center
        case .polygon(let polygon): polygon.meanCorner
        case .multiPolygon(let polygons): polygons.last?.meanCorner
        }
    }
}

extension Polygon {
    fileprivate var meanCorner: Coordinate? {
        guard let ring = rings.first, let first = ring.first else { return nil }
        let sum = ring.dropFirst().reduce(PlaneOffset(eastMeters: 0, northMeters: 0)) {
            $0 + first.offset(to: $1)
        }
        return first.moved(by: sum.scaled(by: 1 / Double(max(1, ring.count - 1))))
    }
}
