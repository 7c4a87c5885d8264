import Geodesy
import Geofencing
import Positioning
import TestSupport
import Timekeeping

/// A seeded walk through a town of circles, with stops, outages, glitches and noise.
struct DriveWorld {
    let track: PlaneTrack
    let fences: [Fence]
    let fixes: [Fix]
    /// Seconds at which nothing is under way: at rest or far from every edge.
    let seed: UInt64

    init(seed: UInt64, latitude: Double = 47, longitude: Double = 8, count: Int = 1500) {
        self.seed = seed
        let track = PlaneTrack(latitude: latitude, longitude: longitude)
        self.track = track
        var random = SeededGenerator(seed: seed &* 31 &+ 3)
        fences = (0..<12).map { index in
            Fence(
                id: "f\(index)", name: "f\(index)",
                shape: .circle(
                    center: track.coordinate(
                        east: random.within(-600..<600),
                        north: random.within(-600..<600)),
                    radiusMeters: random.within(40..<200)),
                dwellSeconds: index % 2 == 0 ? random.within(20..<120).rounded() : nil)
        }
        var walker = Walker(random: random)
        fixes = (0..<count).map { _ in walker.next(track) }
    }

    private struct Walker {
        var random: SeededGenerator
        var time = 0.0
        var east = 0.0
        var north = 0.0
        var target = (east: 0.0, north: 0.0)
        var speed = 10.0
        var rest = 0

        mutating func next(_ track: PlaneTrack) -> Fix {
            var step = 1.0
            if random.unit() < 0.003 { step = random.within(5..<400).rounded() }
            time += step
            if rest > 0 {
                rest -= 1
            } else {
                move(step: min(step, 20))
            }
            if random.unit() < 0.01 { return track.void(at: time) }
            let isGlitch = random.unit() < 0.005
            let noise = random.unit() < 0.1 ? 8.0 : 3.0
            return track.fix(
                at: time, east: east + noise * random.normal() * 0.6 + (isGlitch ? 400 : 0),
                north: north + noise * random.normal() * 0.6,
                accuracy: random.unit() < 0.03 ? 140 : noise,
                speed: rest > 0 ? abs(random.normal()) * 0.1 : speed)
        }

        private mutating func move(step: Double) {
            let way = PlanePoint(east: east, north: north).distance(
                to: PlanePoint(east: target.east, north: target.north))
            if way < speed * step {
                if random.unit() < 0.4 { rest = Int(random.within(10..<200)) }
                target = (random.within(-700..<700), random.within(-700..<700))
                speed = random.within(3..<25)
                return
            }
            east += (target.east - east) / way * speed * step
            north += (target.north - north) / way * speed * step
        }
    }
}

extension SeededGenerator {
    /// Uniform in a range.
    mutating func within(_ range: Range<Double>) -> Double {
        range.lowerBound + unit() * (range.upperBound - range.lowerBound)
    }

    /// Mean 0, standard deviation 1, nearly normal.
    mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + unit() } }
}

extension TrackingPipelineStory {
    /// "enter f1", without reasons and marks.
    static func words(_ transition: Transition) -> String {
        "\(transition.kind.rawValue) \(transition.fenceID)"
    }
}

/// Names for what a pipeline told.
enum TrackingPipelineStory {}
