import Geodesy
import Simulation
import Testing

@Suite("The way between two places and a shape")
struct WayTests {
    static let anchor = Coordinate(latitude: 52, longitude: 13)

    static func frame() throws -> LocalFrame { LocalFrame(anchor: try #require(anchor)) }

    static func place(_ east: Double, _ north: Double) throws -> Coordinate {
        try #require(try frame().coordinate(at: PlanePoint(east: east, north: north)))
    }

    static func polygon(_ corners: [(Double, Double)]) throws -> PreparedShape {
        try PreparedShape(
            .polygon(Polygon(rings: [try corners.map { try place($0.0, $0.1) }])))
    }

    /// Open to the north: a way along north = 50 runs through both arms.
    static let fork = [
        (0.0, 0.0), (300, 0), (300, 100), (200, 100), (200, 20), (100, 20), (100, 100), (0, 100),
        (0, 0),
    ]

    @Test(
        "a way through a circle of 100 m comes in and goes out where the chord says",
        arguments: [
            // From east to east at a north; the parts inside, metres from the start.
            (-300.0, 300.0, 0.0, [200.0...400]), (-300, 300, 60, [220...380]),
            (-300, 0, 0, [200...300]), (0, 300, 0, [0...100]), (-50, 50, 0, [0...100]),
            (-300, 300, 100.5, []), (-300, -150, 0, []),
        ] as [(Double, Double, Double, [ClosedRange<Double>])])
    func circle(from: Double, to: Double, north: Double, parts: [ClosedRange<Double>]) throws {
        let shape = try PreparedShape(
            .circle(center: try #require(Self.anchor), radiusMeters: 100))
        try Self.check(shape, from, to, north, parts)
    }

    @Test(
        "a way through a fork has a part for each arm",
        arguments: [
            (-100.0, 400.0, 50.0, [100.0...200, 300...400]), (-100, 400, 10, [100...400]),
            (50, 400, 50, [0...50, 150...250]), (-100, 150, 50, [100...200]),
            (120, 180, 50, []), (50, 80, 50, [0...30]), (-100, 400, 120, []),
        ] as [(Double, Double, Double, [ClosedRange<Double>])])
    func polygon(from: Double, to: Double, north: Double, parts: [ClosedRange<Double>]) throws {
        try Self.check(try Self.polygon(Self.fork), from, to, north, parts)
    }

    static func check(
        _ shape: PreparedShape, _ from: Double, _ to: Double, _ north: Double,
        _ parts: [ClosedRange<Double>]
    ) throws {
        let crossings = shape.crossings(from: try place(from, north), to: try place(to, north))
        let length = to - from
        #expect(abs(crossings.lengthMeters - length) < 0.01)
        #expect(crossings.parts.count == parts.count)
        for (part, expected) in zip(crossings.parts, parts) {
            #expect(abs(part.lowerBound * length - expected.lowerBound) < 0.02)
            #expect(abs(part.upperBound * length - expected.upperBound) < 0.02)
        }
        let chord = parts.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        #expect(abs(crossings.chordMeters - chord) < 0.05)
        let startsInside = parts.first?.lowerBound == 0
        let endsInside = parts.last?.upperBound == length
        #expect((crossings.lastExit == nil) == (parts.isEmpty || endsInside))
        #expect(
            (crossings.lastEntry == nil)
                == (!endsInside || (startsInside && parts.count == 1)))
        let isEntered = parts.contains { $0.lowerBound > 0 }
        #expect((crossings.firstEntry != nil) == isEntered)
    }

    @Test("a way of no length is inside or not")
    func standing() throws {
        let shape = try PreparedShape(
            .circle(center: try #require(Self.anchor), radiusMeters: 100))
        let inside = try Self.place(50, 0)
        let outside = try Self.place(150, 0)
        #expect(shape.crossings(from: inside, to: inside).parts == [0...1])
        #expect(shape.crossings(from: outside, to: outside).parts == [])
        #expect(shape.edgeDistance(from: SurfacePoint(inside), to: SurfacePoint(inside)) == 0)
        let away = shape.edgeDistance(from: SurfacePoint(outside), to: SurfacePoint(outside))
        #expect(abs(away - 50) < 1e-4)
    }

    @Test("the edge distance of a way is the least of its points")
    func edgeDistance() throws {
        var generator = SeededGenerator(seed: 21)
        let large = Self.fork.map { ($0.0 * 300, $0.1 * 300) }
        let rows = [
            (try Self.polygon(Self.fork), 1.0), (try Self.polygon(large), 300),
            (
                try PreparedShape(
                    .circle(center: try Self.place(150, 50), radiusMeters: 80)), 1
            ),
        ]
        for (shape, size) in rows {
            for _ in 0..<60 {
                let from = PlanePoint(
                    east: size * generator.uniform(in: -400..<700),
                    north: size * generator.uniform(in: -400..<500))
                let to = PlanePoint(
                    east: from.east + size * generator.uniform(in: -300..<300),
                    north: from.north + size * generator.uniform(in: -300..<300))
                var least = Double.infinity
                let steps = 400
                for step in 0...steps {
                    let share = Double(step) / Double(steps)
                    let distance = shape.signedDistance(
                        to: try Self.place(
                            from.east + share * (to.east - from.east),
                            from.north + share * (to.north - from.north)))
                    least = min(least, max(0, -distance))
                }
                let found = shape.edgeDistance(
                    from: SurfacePoint(try Self.place(from.east, from.north)),
                    to: SurfacePoint(try Self.place(to.east, to.north)))
                #expect(found <= least + 0.02 * size)
                #expect(found >= least - 2 * size - 0.01, "\(from) \(to) \(size)")
            }
        }
    }
}
