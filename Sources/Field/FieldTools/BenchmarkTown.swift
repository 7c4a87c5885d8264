import Geodesy
import Geofencing
import Positioning
import Simulation
import Timekeeping

/// Eighteen fences in a town of 4 km by 4 km and a seeded drive between them, for measuring speed.
///
/// Half of the fences are circles, half polygons of 4 to 200 corners. The vehicle goes to a fence
/// or anywhere, at 8 to 20 m/s, and stops for up to three minutes at every third place; its receiver
/// gives a fix a second with an error of 2.5 m an axis that wanders.
public struct BenchmarkTown: Sendable {
    public static let corners = [4, 5, 8, 12, 20, 35, 60, 110, 200]
    static let halfWidthMeters = 2000.0
    static let accuracyMeters = 4.0

    public let fences: [Fence]
    let samples: ContiguousArray<Sample>

    /// What changes from fix to fix.
    struct Sample: Sendable {
        var latitude: Double
        var longitude: Double
        var speed: Double
    }

    /// - Parameters:
    ///   - center: somewhere below 85 degrees.
    ///   - fixes: how many seconds to drive.
    public init(center: Coordinate, fixes: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed, stream: 51)
        var fences: [Fence] = []
        for index in 0..<2 * Self.corners.count {
            let middle = PlaneOffset(
                eastMeters: generator.uniform(in: -Self.halfWidthMeters..<Self.halfWidthMeters),
                northMeters: generator.uniform(in: -Self.halfWidthMeters..<Self.halfWidthMeters))
            fences.append(
                Self.fence(number: index, at: center.moved(by: middle), &generator))
        }
        self.fences = fences
        let frame = LocalFrame(anchor: center)
        var walker = Walker(
            generator: SeededGenerator(seed: seed, stream: 52),
            places: fences.map { frame.project($0.shape.benchmarkMiddle ?? center) })
        samples = ContiguousArray((0..<max(0, fixes)).map { _ in walker.next(frame) })
    }

    private static func fence(
        number: Int, at middle: Coordinate, _ generator: inout SeededGenerator
    ) -> Fence {
        let radius = generator.uniform(in: 50..<250)
        var shape = Shape.circle(center: middle, radiusMeters: radius)
        if number % 2 == 1 {
            let count = corners[number / 2]
            var ring = (0..<count).map { corner in
                let way = PlaneOffset(
                    eastMeters: 0, northMeters: radius * generator.uniform(in: 0.7..<1))
                return middle.moved(
                    by: way.turned(byRadians: -2 * .pi * Double(corner) / Double(count)))
            }
            ring.append(ring[0])
            shape = .polygon(Polygon(rings: [ring]))
        }
        return Fence(
            id: "fence-\(number)", name: "Fence \(number)", shape: shape,
            dwellSeconds: number % 3 == 0 ? 60 : nil)
    }

    /// The fix of one second.
    @inline(__always)
    func fix(_ index: Int) -> Fix {
        let sample = samples[index]
        let milliseconds = Int64(index) * 1000
        return Fix(
            coordinate: Coordinate(latitude: sample.latitude, longitude: sample.longitude),
            time: Self.start.advanced(byMilliseconds: milliseconds), isTimeTrusted: true,
            uptime: Uptime(milliseconds: milliseconds),
            horizontalAccuracy: HorizontalAccuracy(
                meters: Self.accuracyMeters, provenance: .receiver),
            speed: sample.speed, dimension: .threeDimensional, quality: .autonomous,
            source: .recording)
    }

    static let start = UTCTime(millisecondsSince1970: 1_767_225_600_000)

    /// The vehicle and the error of its receiver, metres around the middle of the town.
    private struct Walker {
        var generator: SeededGenerator
        let places: [PlanePoint]
        var place = PlanePoint(east: 0, north: 0)
        var target = PlanePoint(east: 0, north: 0)
        var speed = 10.0
        var restSeconds = 0
        var error: [GaussMarkov]

        init(generator: SeededGenerator, places: [PlanePoint]) {
            self.generator = generator
            self.places = places
            error = [
                GaussMarkov(sigma: 2.5, tauSeconds: 45, using: &self.generator),
                GaussMarkov(sigma: 2.5, tauSeconds: 45, using: &self.generator),
            ]
        }

        mutating func next(_ frame: LocalFrame) -> Sample {
            move()
            for axis in error.indices { error[axis].advance(seconds: 1, using: &generator) }
            let seen = frame.coordinate(
                at: PlanePoint(
                    east: place.east + error[0].value, north: place.north + error[1].value))
            let isResting = restSeconds > 0
            return Sample(
                latitude: seen?.latitude ?? frame.anchor.latitude,
                longitude: seen?.longitude ?? frame.anchor.longitude,
                speed: isResting ? abs(0.1 * generator.normal()) : speed)
        }

        private mutating func move() {
            if restSeconds > 0 {
                restSeconds -= 1
                return
            }
            let distance = place.distance(to: target)
            guard distance <= speed else {
                place.east += (target.east - place.east) * speed / distance
                place.north += (target.north - place.north) * speed / distance
                return
            }
            place = target
            target = destination()
            speed = generator.uniform(in: 8..<20)
            if generator.uniform() < 1 / 3 {
                restSeconds = Int(generator.uniform(in: 10..<180))
            }
        }

        private mutating func destination() -> PlanePoint {
            if generator.uniform() < 0.7, let place = places.randomElement(using: &generator) {
                return place
            }
            let half = BenchmarkTown.halfWidthMeters
            return PlanePoint(
                east: generator.uniform(in: -half..<half),
                north: generator.uniform(in: -half..<half))
        }
    }
}

extension Shape {
    fileprivate var benchmarkMiddle: Coordinate? {
        (try? PreparedShape(self))?.enclosingCircle.center
    }
}
