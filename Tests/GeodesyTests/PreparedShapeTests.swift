import Geodesy
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

    @Test("a circle's distance is its radius at the middle, and 0 counts as inside")
    func circle() throws {
        let center = try #require(Coordinate(latitude: 48, longitude: 11))
        let shape = try PreparedShape(.circle(center: center, radiusMeters: 100))
        #expect(shape.signedDistance(to: center) == 100)
        #expect(!shape.isDegraded)
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
}
