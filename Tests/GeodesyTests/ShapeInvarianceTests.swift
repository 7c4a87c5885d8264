import Geodesy
import Simulation
import Testing

@Suite("Shapes moved, mirrored and split")
struct ShapeInvarianceTests {
    /// A star around (0, 0) in degrees, concave, with a hole.
    static func star(_ generator: inout SeededGenerator) -> [[(x: Double, y: Double)]] {
        func ring(_ scale: Double, _ count: Int) -> [(x: Double, y: Double)] {
            var positions: [(x: Double, y: Double)] = []
            for index in 0..<count {
                let angle = (Double(index) + 0.6 * generator.uniform()) / Double(count)
                let radius = scale * (0.4 + 0.6 * generator.uniform())
                let (sine, cosine) = Self.turn(angle)
                positions.append((radius * cosine, radius * sine))
            }
            return positions + [positions[0]]
        }
        return [ring(0.02, 9), ring(0.004, 5)]
    }

    /// Sine and cosine of a share of the full turn, by Bhaskara's approximation: any star will do.
    static func turn(_ share: Double) -> (sine: Double, cosine: Double) {
        func sine(_ share: Double) -> Double {
            let half = (share - share.rounded(.down)) * 2
            let inner = half < 1 ? half : half - 1
            let value = 16 * inner * (1 - inner) / (5 - 4 * inner * (1 - inner))
            return half < 1 ? value : -value
        }
        return (sine(share), sine(share + 0.25))
    }

    static func coordinate(_ x: Double, _ y: Double) throws -> Coordinate {
        var longitude = x
        if longitude > 180 { longitude -= 360 }
        if longitude < -180 { longitude += 360 }
        return try #require(Coordinate(latitude: y, longitude: longitude))
    }

    static func shape(
        _ rings: [[(x: Double, y: Double)]], at longitude: Double, _ latitude: Double,
        mirrored: Bool = false, southward: Bool = false
    ) throws -> PreparedShape {
        try PreparedShape(
            .polygon(
                Polygon(
                    rings: rings.map {
                        try $0.map {
                            try coordinate(
                                longitude + (mirrored ? -$0.x : $0.x),
                                (southward ? -1 : 1) * (latitude + $0.y))
                        }
                    })))
    }

    @Test(
        "a shape answers the same on every meridian, mirrored, and on the other hemisphere",
        arguments: [0.0, 33, 61, 80])
    func everywhere(latitude: Double) throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20 {
            let rings = Self.star(&generator)
            let home = try Self.shape(rings, at: 0, latitude)
            let moved = try [-179.99, -77.25, 90, 180].map {
                (longitude: $0, shape: try Self.shape(rings, at: $0, latitude))
            }
            let mirrored = try Self.shape(rings, at: 0, latitude, mirrored: true)
            let south = try Self.shape(rings, at: 0, latitude, southward: true)
            for _ in 0..<20 {
                let x = generator.uniform(in: -0.05..<0.05)
                let y = generator.uniform(in: -0.03..<0.03)
                let answer = home.signedDistance(to: try Self.coordinate(x, latitude + y))
                for (longitude, shape) in moved {
                    let other = shape.signedDistance(
                        to: try Self.coordinate(longitude + x, latitude + y))
                    #expect(abs(other - answer) < 1e-6, "\(longitude) \(latitude) \(x) \(y)")
                }
                let left = mirrored.signedDistance(to: try Self.coordinate(-x, latitude + y))
                #expect(abs(left - answer) < 1e-6)
                let below = south.signedDistance(to: try Self.coordinate(x, -(latitude + y)))
                #expect(abs(below - answer) < 1e-6)
            }
        }
    }

    /// A box from `west` to `east` of 180, whole and as RFC 7946 splits it.
    static func box(
        _ half: Double, _ latitude: Double, west: [Double] = [], east: [Double] = []
    ) throws -> (whole: PreparedShape, split: PreparedShape) {
        let whole = try [
            (-half, -1.0), (half, -1), (half, 1), (-half, 1), (-half, -1),
        ].map { try coordinate(180 + $0.0, latitude + $0.1 * half / 2) }
        // Positions on the seam beyond its ends, which the two parts need not share.
        func seam(_ shares: [Double], _ longitude: Double) throws -> [Coordinate] {
            try shares.map {
                try #require(
                    Coordinate(latitude: latitude + $0 * half / 2, longitude: longitude))
            }
        }
        let left =
            [whole[0]] + (try seam([-1] + west + [1], 180)) + [whole[3], whole[0]]
        let right =
            (try seam([1] + east.reversed() + [-1], -180)) + [whole[1], whole[2]]
            + (try seam([1], -180))
        return (
            try PreparedShape(.polygon(Polygon(rings: [whole]))),
            try PreparedShape(.multiPolygon([Polygon(rings: [left]), Polygon(rings: [right])]))
        )
    }

    @Test(
        "a shape split at the antimeridian answers as the whole one",
        arguments: [(0.05, 0.0), (0.05, 64), (2, -17), (2, 50), (0.000_5, 71)])
    func split(half: Double, latitude: Double) throws {
        var generator = SeededGenerator(seed: 12)
        let (whole, split) = try Self.box(half, latitude, west: [-0.3, 0.25], east: [0.1])
        #expect(split.defects == [])
        let base = half < 1 ? 0.005 : 0.02
        for step in 0..<300 {
            // Every third place lies on the seam itself.
            let x = step % 3 == 0 ? 0 : generator.uniform(in: -2 * half..<2 * half)
            let y = generator.uniform(in: -half..<half)
            let place = try Self.coordinate(180 + x, latitude + y)
            let answer = whole.signedDistance(to: place)
            let tolerance = base + 2e-6 * abs(answer)
            #expect(
                abs(split.signedDistance(to: place) - answer) <= tolerance, "\(place) \(answer)")
            if x == 0 {
                let same = try #require(
                    Coordinate(latitude: place.latitude, longitude: -place.longitude))
                #expect(abs(split.signedDistance(to: same) - answer) <= tolerance)
            }
        }
        #expect(abs(split.areaSquareMeters / whole.areaSquareMeters - 1) < 1e-9)
    }

    @Test("a way across the antimeridian is the same through both forms")
    func splitCrossings() throws {
        let (whole, split) = try Self.box(0.05, 10)
        let from = try Self.coordinate(179.9, 10.003)
        let to = try Self.coordinate(180.1, 9.997)
        let one = whole.crossings(from: from, to: to)
        let other = split.crossings(from: from, to: to)
        #expect(one.parts.count == 1)
        #expect(abs((one.firstEntry ?? 0) - 0.25) < 1e-9)
        #expect(abs((one.lastExit ?? 0) - 0.75) < 1e-9)
        #expect(abs(one.chordMeters - other.chordMeters) < 1e-6)
        #expect(abs((other.firstEntry ?? 0) - 0.25) < 1e-9)
        #expect(abs((other.lastExit ?? 0) - 0.75) < 1e-9)
    }

    @Test("winding does not matter")
    func winding() throws {
        var generator = SeededGenerator(seed: 13)
        let rings = Self.star(&generator)
        let one = try Self.shape(rings, at: 11, 48)
        let other = try Self.shape(rings.map { $0.reversed() }, at: 11, 48)
        for _ in 0..<100 {
            let place = try Self.coordinate(
                11 + generator.uniform(in: -0.03..<0.03), 48 + generator.uniform(in: -0.03..<0.03))
            #expect(abs(one.signedDistance(to: place) - other.signedDistance(to: place)) < 1e-6)
        }
    }

    @Test("a distance changes by at most the way moved")
    func lipschitz() throws {
        var generator = SeededGenerator(seed: 14)
        for size in [0.01, 1, 20, 60] {
            let rings = Self.star(&generator).map { $0.map { (x: $0.x * size, y: $0.y * size) } }
            let shape = try Self.shape(rings, at: 20, 55)
            for _ in 0..<500 {
                let one = try Self.coordinate(
                    20 + size * generator.uniform(in: -0.04..<0.04),
                    55 + size * generator.uniform(in: -0.04..<0.04))
                let other = try Self.coordinate(
                    one.longitude + size * generator.uniform(in: -0.002..<0.002),
                    one.latitude + size * generator.uniform(in: -0.002..<0.002))
                let change = abs(
                    shape.signedDistance(to: one) - shape.signedDistance(to: other))
                #expect(change <= one.distance(to: other) * 1.0001 + 0.025)
            }
        }
    }
}
