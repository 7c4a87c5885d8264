import Delivery
import Geodesy
import GeofenceAgent
import Geofencing
import Positioning
import Simulation
import Timekeeping

/// A circle north and south of which nothing lies, metres.
struct SoakCircle: Sendable {
    var east: Double
    var radius: Double
}

/// A receiver whose error wanders.
struct SoakReceiver {
    let frame: LocalFrame
    var random: SeededGenerator
    private let accuracy: Double
    private var east: [GaussMarkov]
    private var north: [GaussMarkov]
    static let start = UTCTime(millisecondsSince1970: 1_767_225_600_000)

    init(_ soak: NoiseSoak, stream: UInt64) {
        frame = LocalFrame(anchor: Coordinate(latitude: 52, longitude: 13) ?? .anywhere)
        var random = SeededGenerator(seed: soak.seed, stream: stream)
        let fast = soak.environment.sigma * (1 - soak.slowShare).squareRoot()
        let slow = soak.environment.sigma * soak.slowShare.squareRoot()
        func axis() -> [GaussMarkov] {
            [
                GaussMarkov(sigma: fast, tauSeconds: 45, using: &random),
                GaussMarkov(sigma: slow, tauSeconds: 2400, using: &random),
            ]
        }
        east = axis()
        north = axis()
        self.random = random
        accuracy = soak.environment.sigma * NoiseSoak.radius68PerSigma * soak.claim
    }

    /// The device is at a place, at a speed; nil: it stands.
    mutating func next(
        at seconds: Double, east place: Double, north lateral: Double, speed: Double?,
        elapsed: Double = 1
    ) -> Fix {
        for index in east.indices { east[index].advance(seconds: elapsed, using: &random) }
        for index in north.indices { north[index].advance(seconds: elapsed, using: &random) }
        let milliseconds = Int64((seconds * 1000).rounded())
        let seen = PlanePoint(
            east: place + east[0].value + east[1].value,
            north: lateral + north[0].value + north[1].value)
        return Fix(
            coordinate: frame.coordinate(at: seen),
            time: Self.start.advanced(byMilliseconds: milliseconds), isTimeTrusted: true,
            uptime: Uptime(milliseconds: milliseconds),
            horizontalAccuracy: HorizontalAccuracy(meters: accuracy, provenance: .receiver),
            speed: speed ?? abs(random.normal()) * 0.15, dimension: .threeDimensional,
            quality: .autonomous, source: .recording)
    }
}

extension Coordinate {
    fileprivate static var anywhere: Coordinate {
        guard let coordinate = Coordinate(latitude: 0, longitude: 0) else {
            preconditionFailure("0 N 0 E is on Earth")
        }
        return coordinate
    }
}

/// The pipeline and the simple engines over the same circles.
struct SoakBench {
    private var pipeline: TrackingPipeline
    private let shapes: [PreparedShape]
    private var simple: [[SimpleEngine.State]]
    private var last: SurfacePoint?
    /// Whether a reported fix, or the straight way between two, lay in a circle.
    private(set) var hasReportedWayInside = false
    private static let clock = WallClockReading(time: SoakReceiver.start, isSynchronised: true)

    struct Seen {
        var transitions: [Transition] = []
        var changes: [(circle: Int, engine: Int, isInside: Bool)] = []
    }

    init(_ circles: [SoakCircle], dwellSeconds: Double?, frame: LocalFrame) {
        var fences: [Fence] = []
        var shapes: [PreparedShape] = []
        for (index, circle) in circles.enumerated() {
            let center = frame.coordinate(at: PlanePoint(east: circle.east, north: 0))
            let shape = Shape.circle(
                center: center ?? frame.anchor, radiusMeters: circle.radius)
            fences.append(
                Fence(id: "\(index)", name: "\(index)", shape: shape, dwellSeconds: dwellSeconds))
            if let prepared = try? PreparedShape(shape) { shapes.append(prepared) }
        }
        self.shapes = shapes
        simple = shapes.map { _ in SimpleEngine.allCases.map { _ in SimpleEngine.State() } }
        pipeline = TrackingPipeline(bootID: BootID("soak"))
        _ = pipeline.replaceFences(
            fences, at: Uptime(milliseconds: 0), wallClock: Self.clock)
    }

    mutating func take(_ fix: Fix, accuracy: Double, at seconds: Double) -> Seen {
        var seen = Seen(transitions: pipeline.ingest(fix, wallClock: Self.clock).transitions)
        guard let point = fix.coordinate.map(SurfacePoint.init) else { return seen }
        follow(point)
        for circle in shapes.indices {
            let distance = shapes[circle].signedDistance(to: point)
            for (engine, kind) in SimpleEngine.allCases.enumerated() {
                let hasChanged = simple[circle][engine].ingest(
                    kind, signedDistance: distance, accuracy: accuracy, at: seconds)
                guard hasChanged else { continue }
                seen.changes.append((circle, engine, simple[circle][engine].isInside))
            }
        }
        return seen
    }

    private mutating func follow(_ point: SurfacePoint) {
        let before = last ?? point
        last = point
        guard !hasReportedWayInside else { return }
        hasReportedWayInside = shapes.contains { $0.edgeDistance(from: before, to: point) == 0 }
    }
}
