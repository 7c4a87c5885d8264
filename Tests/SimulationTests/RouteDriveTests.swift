import Geodesy
import Simulation
import Testing

@Suite("Route drive")
struct RouteDriveTests {
    private static func route(
        _ ways: [(east: Double, north: Double)], latitude: Double = 52, longitude: Double = 13,
        speed: Double = 15, stops: [Route.Stop] = []
    ) throws -> Route {
        let origin = try #require(Coordinate(latitude: latitude, longitude: longitude))
        var positions = [origin]
        for way in ways {
            let last = positions[positions.count - 1]
            positions.append(
                last.moved(by: PlaneOffset(eastMeters: way.east, northMeters: way.north)))
        }
        return try Route(positions: positions, speedMetersPerSecond: speed, stops: stops)
    }

    /// Bends of many angles, short and long legs, a turn on the spot.
    private static let winding: [(east: Double, north: Double)] = [
        (400, 0), (0, 300), (60, 60), (5, -3), (200, 10), (0, -500), (-2, 499), (300, 300),
        (30, 0), (25, 5), (20, 10), (15, 15), (10, 20), (5, 25), (0, 400),
    ]

    @Test("a straight kilometre takes its length over its speed and the time to start and stop")
    func straight() throws {
        let drive = RouteDrive(try Self.route([(1000, 0)], speed: 20))
        // 20 m/s at 2 m/s2: 10 s and 100 m each to start and to stop, 800 m at 20 m/s between.
        #expect(abs(drive.durationSeconds - 60) < 0.01)
        #expect(abs(drive.lengthMeters - 1000) < 0.05)
        #expect(abs(drive.state(at: 5).speed - 10) < 1e-9)
        #expect(abs(drive.state(at: 5).distance - 25) < 1e-6)
        #expect(drive.state(at: 30).speed == 20)
        #expect(abs(drive.state(at: 30).courseDegrees - 90) < 0.01)
        #expect(drive.state(at: -1) == drive.state(at: 0))
        #expect(drive.state(at: 1000).speed == 0)
    }

    @Test(
        "accelerations stay within 3 m/s2 sideways and 2 m/s2 along, as a track shows them",
        arguments: [-60.0, 0, 52, 80], [3.0, 15, 40])
    func physics(latitude: Double, speed: Double) throws {
        let route = try Self.route(
            Self.winding, latitude: latitude, speed: speed,
            stops: [Route.Stop(vertex: 2, seconds: 10), Route.Stop(vertex: 8, seconds: 3)])
        let drive = RouteDrive(route)
        let step = 0.05
        var previous = drive.state(at: 0)
        var velocity = PlaneOffset(eastMeters: 0, northMeters: 0)
        for index in 1...Int(drive.durationSeconds / step) {
            let state = drive.state(at: Double(index) * step)
            let next = previous.position.offset(to: state.position).scaled(by: 1 / step)
            let change = next + velocity.scaled(by: -1)
            let acceleration = change.lengthMeters / step
            // Both limits at once give 3.61; finite differences add their own.
            #expect(acceleration < 3.8, "at \(Double(index) * step) s: \(acceleration) m/s2")
            #expect(state.speed <= speed + 1e-9)
            #expect(abs(next.lengthMeters - (previous.speed + state.speed) / 2) < 0.1)
            (previous, velocity) = (state, next)
        }
        #expect(drive.state(at: drive.durationSeconds).speed == 0)
    }

    @Test("a bend is driven at the speed whose square over its radius is 3 m/s2")
    func bend() throws {
        let drive = RouteDrive(try Self.route([(300, 0), (0, 300)], speed: 30))
        // Rounded from 10 m before the vertex: the radius of a right angle is 10 m.
        let vertex = drive.vertexDistances[1]
        var slowest = Double.infinity
        for index in 0...Int(drive.durationSeconds * 100) {
            let state = drive.state(at: Double(index) / 100)
            if abs(state.distance - vertex) < 5 { slowest = min(slowest, state.speed) }
        }
        #expect(abs(slowest - 30.0.squareRoot()) < 0.02, "\(slowest)")
    }

    @Test("a stop is made at the vertex itself and lasts as long as it says")
    func stop() throws {
        let route = try Self.route(
            [(300, 0), (0, 300), (300, 0)],
            stops: [
                Route.Stop(vertex: 0, seconds: 4), Route.Stop(vertex: 1, seconds: 20),
                Route.Stop(vertex: 3, seconds: 7),
            ])
        let drive = RouteDrive(route)
        let standing = (0...Int(drive.durationSeconds * 10)).map { Double($0) / 10 }
            .filter { drive.state(at: $0).speed < 1e-6 }
            .map { drive.state(at: $0).position.offset(to: route.positions[1]).lengthMeters }
        let there = standing.filter { $0 < 0.001 }.count
        #expect((199...202).contains(there), "\(there)")
        #expect(drive.state(at: 3.9).distance == 0)
        #expect(drive.state(at: 4.5).distance > 0)
        let end = drive.state(at: drive.durationSeconds - 6.9)
        #expect(end.position.offset(to: route.positions[3]).lengthMeters < 0.001)
        #expect(end.speed == 0)
    }

    @Test("the way stays within 5 m of the vertices' lines and passes each vertex's distance")
    func faithful() throws {
        let route = try Self.route(Self.winding)
        let drive = RouteDrive(route)
        #expect(drive.vertexDistances.count == route.positions.count)
        #expect(drive.vertexDistances == drive.vertexDistances.sorted())
        for (vertex, distance) in drive.vertexDistances.enumerated() {
            let state = (0...Int(drive.durationSeconds * 50))
                .map { drive.state(at: Double($0) / 50) }
                .min { abs($0.distance - distance) < abs($1.distance - distance) }
            let miss = try #require(state).position.offset(to: route.positions[vertex])
            #expect(miss.lengthMeters < 10, "vertex \(vertex): \(miss.lengthMeters) m")
        }
    }

    @Test("a way over the antimeridian goes the short way")
    func antimeridian() throws {
        let drive = RouteDrive(try Self.route([(2000, 0)], latitude: -17, longitude: 179.99))
        #expect(abs(drive.lengthMeters - 2000) < 1)
        let end = drive.state(at: drive.durationSeconds).position
        #expect(end.longitude < -179.9)
    }

    @Test("a repeated position is one place, and its stops add up")
    func repeated() throws {
        let first = try #require(Coordinate(latitude: 52, longitude: 13))
        let second = try #require(Coordinate(latitude: 52, longitude: 13.01))
        let route = try Route(
            positions: [first, first, second, second],
            stops: [Route.Stop(vertex: 0, seconds: 2), Route.Stop(vertex: 1, seconds: 3)])
        let drive = RouteDrive(route)
        #expect(drive.state(at: 4.9).distance == 0)
        #expect(drive.state(at: 6).distance > 0)
        #expect(drive.vertexDistances.count == 4)
    }
}
