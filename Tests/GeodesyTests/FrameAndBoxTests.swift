import Geodesy
import Simulation
import Testing

@Suite("Frames, boxes and enclosing circles")
struct FrameAndBoxTests {
    static let anchors = [
        (0.0, 0.0), (48, 11), (-33, 180), (85, -179.9), (-89.9, 40), (90, 0),
    ]

    @Test("a place goes into the plane and comes back", arguments: anchors)
    func inverse(latitude: Double, longitude: Double) throws {
        let frame = LocalFrame(
            anchor: try #require(Coordinate(latitude: latitude, longitude: longitude)))
        var generator = SeededGenerator(seed: 31)
        for size in [1.0, 1000, 100_000] {
            for _ in 0..<50 {
                let point = PlanePoint(
                    east: generator.uniform(in: -size..<size),
                    north: generator.uniform(in: -size..<size))
                let place = try #require(frame.coordinate(at: point))
                #expect(frame.project(place).distance(to: point) < 1e-5, "\(point)")
            }
        }
        #expect(frame.coordinate(at: PlanePoint(east: .nan, north: 0)) == nil)
        #expect(frame.coordinate(at: PlanePoint(east: 3e7, north: 0)) == nil)
    }

    @Test("distance from the anchor is kept, whatever the direction", arguments: anchors)
    func equidistant(latitude: Double, longitude: Double) throws {
        let anchor = try #require(Coordinate(latitude: latitude, longitude: longitude))
        let frame = LocalFrame(anchor: anchor)
        var generator = SeededGenerator(seed: 32)
        for _ in 0..<200 {
            let place = try #require(
                Coordinate(
                    latitude: generator.uniform(in: -90..<90),
                    longitude: generator.uniform(in: -180..<180)))
            let point = frame.project(place)
            let length = point.distance(to: PlanePoint(east: 0, north: 0))
            #expect(abs(length - anchor.distance(to: place)) <= 1e-7 * length + 1e-6)
        }
    }

    @Test(
        "a box around a place holds everything within the distance",
        arguments: [
            (0.0, 0.0, 1000.0, 1), (60, 179.999, 5000, 2), (-60, -180, 100, 2),
            (89.99, 30, 5000, 1), (-90, 0, 10, 1), (10, 20, 3_000_000, 1), (48, 11, 0, 1),
        ])
    func box(latitude: Double, longitude: Double, radius: Double, pieces: Int) throws {
        let center = try #require(Coordinate(latitude: latitude, longitude: longitude))
        let box = BoundingBox(center: center, radiusMeters: radius)
        #expect(box.contains(center))
        #expect(box.pieces.count == pieces)
        var generator = SeededGenerator(seed: 33)
        let frame = LocalFrame(anchor: center)
        for _ in 0..<200 {
            var point = PlanePoint(
                east: generator.uniform(in: -1..<1), north: generator.uniform(in: -1..<1))
            let length = point.distance(to: PlanePoint(east: 0, north: 0))
            point.east *= radius / length
            point.north *= radius / length
            guard let place = frame.coordinate(at: point) else { continue }
            #expect(box.contains(place), "\(place)")
            #expect(
                box.pieces.contains {
                    $0.west <= place.longitude && place.longitude <= $0.east
                        && $0.south <= place.latitude && place.latitude <= $0.north
                }, "\(place)")
        }
        let beyond = try #require(
            Coordinate(latitude: -latitude + (latitude == 0 ? 80 : 0), longitude: longitude))
        if radius < 1_000_000 { #expect(!box.contains(beyond)) }
    }

    @Test("a polygon's box is that of its corners, across the antimeridian too")
    func polygonBox() throws {
        let ring = PreparedShapeTests.ring(10, 179.995, 0.01)
        let box = try PreparedShape(.polygon(Polygon(rings: [ring]))).boundingBox
        #expect(abs(box.west - 179.985) < 1e-9)
        #expect(abs(box.east - 180.005) < 1e-9)
        #expect(abs(box.south - 9.99) < 1e-9 && abs(box.north - 10.01) < 1e-9)
        #expect(box.pieces.count == 2)
    }

    @Test("the enclosing circle holds every corner and is the smallest")
    func enclosingCircle() throws {
        let ring = PreparedShapeTests.ring(48, -180, 0.01)
        let shape = try PreparedShape(.polygon(Polygon(rings: [ring])))
        let circle = shape.enclosingCircle
        for corner in ring {
            #expect(circle.center.distance(to: corner) <= circle.radiusMeters + 1e-6)
        }
        let diagonal = ring[0].distance(to: ring[2])
        #expect(abs(circle.radiusMeters - diagonal / 2) < 0.5)
        var generator = SeededGenerator(seed: 34)
        let frame = LocalFrame(anchor: circle.center)
        for _ in 0..<100 {
            let other = try #require(
                frame.coordinate(
                    at: PlanePoint(
                        east: generator.uniform(in: -50..<50),
                        north: generator.uniform(in: -50..<50))))
            let needed = ring.map { other.distance(to: $0) }.max() ?? 0
            #expect(needed >= circle.radiusMeters - 0.01)
        }
    }
}
