import Geodesy
import Simulation

/// A drive between fences at up to 33 m/s with stops, as a receiver sees it: its error stays below
/// the 25 m that the coverage guarantee allows.
struct WorldDrive {
    /// One second.
    struct Sample {
        /// Metres in the plane of the world.
        var seen: PlanePoint
        /// Metres per second.
        var speed: Double
        /// Truly driven in this second.
        var meters: Double
    }

    private var generator: SeededGenerator
    private let halfWidth: Double
    private let places: [PlanePoint]
    private var place = PlanePoint(east: 0, north: 0)
    private var target = PlanePoint(east: 0, north: 0)
    private var drift = PlanePoint(east: 0, north: 0)
    private var speed = 0.0
    private var restSeconds = 0.0

    init(seed: UInt64, halfWidth: Double, places: [PlanePoint]) {
        generator = SeededGenerator(seed: seed, stream: 90)
        self.halfWidth = halfWidth
        self.places = places
        place = somewhere()
        target = somewhere()
    }

    mutating func next() -> Sample {
        let from = place
        move()
        drift.east = clamp(0.95 * drift.east + 2 * generator.normal())
        drift.north = clamp(0.95 * drift.north + 2 * generator.normal())
        return Sample(
            seen: PlanePoint(east: place.east + drift.east, north: place.north + drift.north),
            speed: restSeconds > 0 ? abs(0.15 * generator.normal()) : speed,
            meters: from.distance(to: place))
    }

    private func clamp(_ error: Double) -> Double { max(-17, min(17, error)) }

    /// Mostly within 100 m of a fence's middle, sometimes anywhere.
    private mutating func somewhere() -> PlanePoint {
        guard generator.uniform() < 0.8, let middle = places.randomElement(using: &generator)
        else {
            return PlanePoint(
                east: generator.uniform(in: -halfWidth..<halfWidth),
                north: generator.uniform(in: -halfWidth..<halfWidth))
        }
        return PlanePoint(
            east: middle.east + generator.uniform(in: -100..<100),
            north: middle.north + generator.uniform(in: -100..<100))
    }

    private mutating func move() {
        if restSeconds > 0 {
            restSeconds -= 1
            return
        }
        let wanted = 3 + 30 * generator.uniform()
        speed += max(-3, min(3, wanted - speed))
        let distance = place.distance(to: target)
        guard distance <= speed else {
            place.east += (target.east - place.east) * speed / distance
            place.north += (target.north - place.north) * speed / distance
            return
        }
        place = target
        target = somewhere()
        speed = 0
        restSeconds = generator.uniform(in: 0..<300).rounded()
    }
}
