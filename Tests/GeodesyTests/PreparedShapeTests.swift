import Geodesy
import Simulation
import Testing

@Suite("A prepared shape")
struct PreparedShapeTests {
    /// A square of lon/lat, 0.02 degrees wide, with a hole of 0.004 degrees at its middle.
    static func square(latitude: Double, longitude: Double) -> [[Coordinate]] {
        [ring(latitude, longitude, 0.01), ring(latitude, longitude, 0.002)]
    }

    static func ring(_ latitude: Double, _ longitude: Double, _ half: Double) -> [Coordinate] {
        [(-half, -half), (-half, half), (half, half), (half, -half), (-half, -half)]
            .compactMap { north, east in
                var turned = longitude + east
                if turned > 180 { turned -= 360 }
                if turned < -180 { turned += 360 }
                return Coordinate(latitude: latitude + north, longitude: turned)
            }
    }

    static func polygon(_ positions: [(Double, Double)]) throws -> PreparedShape {
        try PreparedShape(
            .polygon(
                Polygon(rings: [
                    try positions.map {
                        try #require(Coordinate(latitude: $0.1, longitude: $0.0))
                    }
                ])))
    }

    @Test("a circle's distance is its radius at the middle")
    func circle() throws {
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        let shape = try PreparedShape(.circle(center: center, radiusMeters: 100))
        #expect(shape.signedDistance(to: center) == 100)
        #expect(!shape.isDegraded)
        #expect(shape.enclosingCircle == EnclosingCircle(center: center, radiusMeters: 100))
        #expect(abs(shape.areaSquareMeters - 31_415.9) < 0.1)
    }

    @Test(
        "a hole is outside, the ring around it inside, the rest outside",
        arguments: [(0.0, 0.0), (48, 11), (-33, 151), (70, 180), (-17, -179.995)])
    func hole(latitude: Double, longitude: Double) throws {
        let shape = try PreparedShape(
            .polygon(Polygon(rings: Self.square(latitude: latitude, longitude: longitude))))
        #expect(shape.defects == [])
        let frame = LocalFrame(
            anchor: try #require(Coordinate(latitude: latitude, longitude: longitude)))
        func distance(_ east: Double, _ north: Double) throws -> Double {
            shape.signedDistance(
                to: try #require(frame.coordinate(at: PlanePoint(east: east, north: north))))
        }
        #expect(try distance(0, 0) < -70)
        #expect(try distance(0, 600) > 300)
        #expect(try distance(0, 1500) < -350)
        #expect(try distance(5000, 0) < -3800)
    }

    @Test(
        "the boundary is inside: corners and edges, of the exterior and of a hole",
        arguments: [(0.0, 0.0), (48.137, 11.575), (-33.9, 151.2), (69.65, 180), (-17.7, -179.995)])
    func boundary(latitude: Double, longitude: Double) throws {
        for scale in [1.0, 30] {
            let rings = [0.01, 0.002].map { Self.ring(latitude, longitude, $0 * scale) }
            let shape = try PreparedShape(.polygon(Polygon(rings: rings)))
            for (half, shares) in [(0.01, [-1, -0.37, 0, 1]), (0.002, [-1, 0.5])]
                as [(Double, [Double])]
            {
                for share in shares {
                    for (north, east) in [(1.0, share), (-1, share), (share, 1), (share, -1)] {
                        var turned = longitude + half * scale * east
                        if turned > 180 { turned -= 360 }
                        if turned < -180 { turned += 360 }
                        let place = try #require(
                            Coordinate(
                                latitude: latitude + half * scale * north, longitude: turned))
                        #expect(shape.signedDistance(to: place) == 0, "\(place) \(scale)")
                    }
                }
            }
        }
    }

    @Test("a MultiPolygon holds what any of its polygons holds, also where they overlap")
    func union() throws {
        let one = Polygon(rings: [Self.ring(10, 20, 0.01)])
        let other = Polygon(rings: [Self.ring(10.005, 20, 0.01)])
        let shape = try PreparedShape(.multiPolygon([one, other]))
        for latitude in [9.993, 10.0025, 10.013] {
            let place = try #require(Coordinate(latitude: latitude, longitude: 20))
            #expect(shape.signedDistance(to: place) > 0)
        }
    }

    @Test("a station at the pole has a fence around it")
    func pole() throws {
        let shape = try Self.polygon([
            (0, -89.99), (90, -89.99), (180, -89.99), (-90, -89.99), (0, -89.99),
        ])
        #expect(shape.defects.map(\.code) == [.holdsPole])
        let pole = try #require(Coordinate(latitude: -90, longitude: 12))
        let inside = shape.signedDistance(to: pole)
        #expect(abs(inside - 1116.94) < 0.01)
        let beside = try #require(Coordinate(latitude: -89.97, longitude: 33))
        #expect(shape.signedDistance(to: beside) < -2000)
    }

    @Test("an unclosed ring and a bow tie are measured even-odd")
    func degraded() throws {
        let unclosed = try Self.polygon([(0, 0), (0.02, 0), (0.02, 0.02), (0, 0.02)])
        let tie = try Self.polygon([(0, 0), (0.02, 0.02), (0.02, 0), (0, 0.02), (0, 0)])
        let left = try #require(Coordinate(latitude: 0.01, longitude: 0.003))
        let bottom = try #require(Coordinate(latitude: 0.003, longitude: 0.01))
        #expect(unclosed.isDegraded && tie.isDegraded)
        #expect(unclosed.signedDistance(to: left) > 0)
        #expect(unclosed.signedDistance(to: bottom) > 0)
        #expect(tie.signedDistance(to: left) > 0)
        #expect(tie.signedDistance(to: bottom) < 0)
    }

    @Test("shapes are equal as they were drawn")
    func equality() throws {
        let rings = Self.square(latitude: 1, longitude: 2)
        let one = try PreparedShape(.polygon(Polygon(rings: rings)))
        let same = try PreparedShape(.polygon(Polygon(rings: rings)))
        let other = try PreparedShape(.polygon(Polygon(rings: rings.dropLast())))
        #expect(one == same && one.hashValue == same.hashValue)
        #expect(one != other)
    }
}
