import Geodesy
import Simulation

/// A seeded land of fences and places to ask from, for measuring searches.
public struct FenceLand: Sendable {
    /// Where fences and questions are.
    public enum Kind: String, CaseIterable, Sendable {
        /// One country: 8 degrees of latitude by 9 of longitude.
        case country
        /// A third in that country, a third across the antimeridian and around the poles, the rest
        /// anywhere; nearly a third of all are polygons, and some lie where another one lies.
        case earth
    }

    public let kind: Kind
    public let seed: UInt64
    /// Of each fence.
    public private(set) var grounds: ContiguousArray<Ground> = []
    /// Of those that are no circles, by their index.
    public private(set) var outlines: [Int: PreparedShape] = [:]
    private var generator: SeededGenerator

    /// Share of polygons.
    private var outlineShare: Double { kind == .country ? 0.02 : 0.3 }
    /// Of those on Earth, how many lie where an earlier one lies: at the same distance from everywhere.
    private static let twinShare = 0.02
    /// Metres, of a circle in the country.
    private static let radiusMeters = 50.0..<250.0

    public init(_ kind: Kind, fences: Int, seed: UInt64) {
        self.kind = kind
        self.seed = seed
        generator = SeededGenerator(seed: seed, stream: 61)
        grounds.reserveCapacity(fences)
        while grounds.count < fences { addFence() }
    }

    /// Places to ask from.
    public func questions(_ count: Int) -> [Coordinate] {
        var generator = SeededGenerator(seed: seed, stream: 62)
        return (0..<count).compactMap { _ in Self.place(kind, &generator) }
    }

    /// The shape of a fence.
    public func shape(_ index: Int) -> Shape {
        outlines[index]?.shape
            ?? .circle(
                center: grounds[index].center, radiusMeters: grounds[index].reachMeters)
    }

    private mutating func addFence() {
        if kind == .earth, !grounds.isEmpty, generator.uniform() < Self.twinShare {
            let other = Int(generator.next() % UInt64(grounds.count))
            outlines[grounds.count] = outlines[other]
            grounds.append(grounds[other])
            return
        }
        // Every place that is drawn is on Earth.
        guard let center = Self.place(kind, &generator) else { return }
        let isOutline = generator.uniform() < outlineShare
        // Few are large, as in life.
        let size = generator.uniform()
        let radius =
            kind == .country
            ? generator.uniform(in: Self.radiusMeters) : 20 + 60_000 * size * size * size * size
        guard isOutline else {
            grounds.append(Ground(center: center, reachMeters: radius, isOutline: false))
            return
        }
        // One that a server would refuse is left out.
        guard let shape = outline(at: center, radius), !shape.isDegraded else { return }
        outlines[grounds.count] = shape
        grounds.append(shape.ground)
    }

    private mutating func outline(at center: Coordinate, _ radius: Double) -> PreparedShape? {
        let corners = 4 + Int(generator.next() % 9)
        let frame = LocalFrame(anchor: center)
        var ring: [Coordinate] = []
        for corner in 0..<corners {
            let way = PlaneOffset(
                eastMeters: 0, northMeters: radius * generator.uniform(in: 0.5..<1)
            ).turned(byRadians: -2 * .pi * Double(corner) / Double(corners))
            guard
                let place = frame.coordinate(
                    at: PlanePoint(east: way.eastMeters, north: way.northMeters))
            else { return nil }
            ring.append(place)
        }
        ring.append(ring[0])
        return try? PreparedShape(.polygon(Polygon(rings: [ring])))
    }

    private static func place(_ kind: Kind, _ generator: inout SeededGenerator) -> Coordinate? {
        let part = kind == .country ? 0 : generator.uniform()
        let latitude: Double
        let longitude: Double
        switch part {
        case ..<0.35:
            latitude = generator.uniform(in: 47..<55)
            longitude = generator.uniform(in: 6..<15)
        case ..<0.5:
            latitude = generator.uniform(in: -25..<(-10))
            longitude = generator.uniform(in: 175..<185)
        case ..<0.65:
            let north = generator.uniform(in: 78..<90)
            latitude = generator.next() & 1 == 0 ? north : -north
            longitude = generator.uniform(in: -180..<180)
        default:
            latitude = generator.uniform(in: -90..<90)
            longitude = generator.uniform(in: -180..<180)
        }
        return Coordinate(
            latitude: latitude, longitude: longitude >= 180 ? longitude - 360 : longitude)
    }
}
