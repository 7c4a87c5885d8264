import Foundation
import Geodesy
import GeofenceAgent
import Geofencing
import Positioning
import Simulation
import TestSupport
import Testing
import Timekeeping

/// Visits and drive-throughs under a wandering error.
struct NoisyVisit {
    static let radius68PerSigma = 1.51

    let track = PlaneTrack(latitude: 52, longitude: 13)
    let clock: WallClockReading
    let sigma: Double
    var random: Simulation.SeededGenerator
    private var east: GaussMarkov
    private var north: GaussMarkov
    private var pipeline: TrackingPipeline
    private(set) var log: [Transition] = []

    init(seed: UInt64, sigma: Double, radius: Double, dwell: Double?) {
        self.sigma = sigma
        random = Simulation.SeededGenerator(seed: seed, stream: 21)
        east = GaussMarkov(sigma: sigma, tauSeconds: 45, using: &random)
        north = GaussMarkov(sigma: sigma, tauSeconds: 45, using: &random)
        clock = WallClockReading(time: track.start, isSynchronised: true)
        pipeline = TrackingPipeline(bootID: BootID("noise"))
        let fence = Fence(
            id: "A", name: "A",
            shape: .circle(center: track.coordinate(east: 0), radiusMeters: radius),
            dwellSeconds: dwell)
        _ = pipeline.replaceFences([fence], at: Uptime(milliseconds: 0), wallClock: clock)
    }

    /// The device is really there; the error moved on for `elapsed` seconds.
    mutating func fix(
        at seconds: Double, east place: Double, north lateral: Double = 0, speed: Double,
        elapsed: Double = 1
    ) {
        east.advance(seconds: elapsed, using: &random)
        north.advance(seconds: elapsed, using: &random)
        let fix = track.fix(
            at: seconds, east: place + east.value, north: lateral + north.value,
            accuracy: sigma * Self.radius68PerSigma, speed: speed)
        log += pipeline.ingest(fix, wallClock: clock).transitions
    }

    var kinds: [Transition.Kind] { log.map(\.kind) }
}

@Suite("Visits under noise")
struct NoisyVisitTests {
    static let trials = UInt64(ProcessInfo.processInfo.environment["GEOFENCED_SEEDS"] ?? "") ?? 60

    @Test(
        "a visit resumed at the same spot after an outage finds its dwell",
        arguments: [2.5, 5, 12, 20], [600.0, 3600, 43_200])
    func resumed(sigma: Double, outage: Double) {
        var found = 0
        for seed in 1...Self.trials {
            var visit = NoisyVisit(seed: seed, sigma: sigma, radius: 100, dwell: 300)
            let place = visit.random.uniform(in: -50..<50)
            for second in 0..<60 {
                visit.fix(
                    at: Double(second), east: place - 12 * Double(60 - second), speed: 12)
            }
            for second in 60..<100 { visit.fix(at: Double(second), east: place, speed: 0.1) }
            for second in 0..<60 {
                visit.fix(
                    at: 100 + outage + Double(second), east: place, speed: 0.1,
                    elapsed: second == 0 ? outage : 1)
            }
            if visit.kinds.first == .enter, visit.kinds.contains(.dwell) { found += 1 }
        }
        #expect(Double(found) >= 0.99 * Double(Self.trials), "\(found) of \(Self.trials)")
    }

    @Test(
        "a drive through a fence of 50 m at 25 m/s is seen",
        arguments: [2.5, 5, 12], [(1.0, 0.98), (30, 0.95)])
    func driveThrough(sigma: Double, rate: (period: Double, share: Double)) {
        var seen = 0
        for seed in 1...Self.trials {
            var visit = NoisyVisit(seed: seed, sigma: sigma, radius: 50, dwell: nil)
            let phase = visit.random.uniform() * rate.period
            let lateral = visit.random.uniform(in: -15..<15)
            for step in rate.period > 1 ? -8...8 : -32...32 {
                let time = Double(step) * rate.period
                visit.fix(
                    at: 1000 + time, east: (time + phase) * 25, north: lateral, speed: 25,
                    elapsed: rate.period)
            }
            let kinds = visit.kinds
            if kinds == [.pass] || kinds == [.enter, .exit] { seen += 1 }
        }
        #expect(Double(seen) >= rate.share * Double(Self.trials), "\(seen) of \(Self.trials)")
    }
}
