import Geodesy
import Geofencing
import Simulation
import Testing
import Timekeeping

@Suite("World and clock")
struct WorldTests {
    @Test(
        "a world has its fences within its square, and the same again",
        arguments: World.Density.allCases)
    func world(density: World.Density) throws {
        let center = try #require(Coordinate(latitude: -33.9, longitude: 18.4))
        let world = World(density, center: center, seed: 9)
        #expect(World(density, center: center, seed: 9).fences == world.fences)
        #expect(World(density, center: center, seed: 10).fences != world.fences)
        #expect(Set(world.fences.map(\.id)).count == world.fences.count)
        let circles = world.fences.filter {
            if case .circle = $0.shape { true } else { false }
        }
        #expect(circles.count > world.fences.count / 3)
        #expect(circles.count < world.fences.count)
        for case .polygon(let polygon) in world.fences.map(\.shape) {
            #expect(polygon.rings.allSatisfy { $0.first == $0.last && $0.count >= 6 })
        }
        let route = try world.route(number: 3)
        let again = try world.route(number: 3)
        let other = try world.route(number: 4)
        #expect(again == route)
        #expect(other != route)
        #expect(RouteDrive(route).durationSeconds > 60)
    }

    @Test("a manual clock moves uptime and wall clock together, a reboot starts the uptime anew")
    func clock() {
        let clock = ManualTimekeeper(wallClock: UTCTime(millisecondsSince1970: 1000))
        let boot = clock.bootID
        #expect(boot.text.count == 32)
        clock.advance(milliseconds: 500)
        #expect(clock.uptime == Uptime(milliseconds: 60_500))
        #expect(clock.wallClock.time == UTCTime(millisecondsSince1970: 1500))
        clock.setWallClock(UTCTime(millisecondsSince1970: 0), isSynchronised: false)
        #expect(clock.uptime == Uptime(milliseconds: 60_500))
        #expect(!clock.wallClock.isSynchronised)
        clock.reboot(afterMilliseconds: 10)
        #expect(clock.uptime == Uptime(milliseconds: 0))
        #expect(clock.wallClock.time == UTCTime(millisecondsSince1970: 10))
        #expect(clock.bootID != boot)
    }
}
