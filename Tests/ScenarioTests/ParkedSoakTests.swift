import Foundation
import Geodesy
import GeofenceAgent
import Geofencing
import Positioning
import Simulation
import TestSupport
import Testing
import Timekeeping

/// A device parked beside, on and inside the edges of nine fences, under a wandering error.
struct ParkedSoak {
    /// Metres inside the edge where the device really stands.
    static let placements: [Double] = [-40, -20, -12, -6, 0, 6, 12, 20, 40]
    static let radiusMeters = 100.0
    /// 68 % radius over the sigma of one axis.
    static let radius68PerSigma = 1.51

    var sigma: Double
    var slowShare: Double
    var claim: Double
    var hours: Double
    var seed: UInt64

    /// False transitions and false visits, for each placement.
    func run() -> [(transitions: Int, visits: Int)] {
        let track = PlaneTrack(latitude: 52, longitude: 13)
        var pipeline = TrackingPipeline(bootID: BootID("soak"))
        let clock = WallClockReading(time: track.start, isSynchronised: true)
        let fences = Self.placements.indices.map { index in
            let east = Self.radiusMeters - Self.placements[index]
            return Fence(
                id: "\(index)", name: "\(index)",
                shape: .circle(
                    center: track.coordinate(east: east), radiusMeters: Self.radiusMeters),
                dwellSeconds: 300)
        }
        _ = pipeline.replaceFences(fences, at: Uptime(milliseconds: 0), wallClock: clock)
        var random = Simulation.SeededGenerator(seed: seed, stream: 7)
        let fast = sigma * (1 - slowShare).squareRoot()
        let slow = sigma * slowShare.squareRoot()
        var east = [
            GaussMarkov(sigma: fast, tauSeconds: 45, using: &random),
            GaussMarkov(sigma: slow, tauSeconds: 2400, using: &random),
        ]
        var north = east.map { _ in GaussMarkov(sigma: fast, tauSeconds: 45, using: &random) }
        north[1] = GaussMarkov(sigma: slow, tauSeconds: 2400, using: &random)
        // It arrives from the north, outside every fence, and stops.
        for second in 0..<60 {
            let fix = track.fix(
                at: Double(second), east: 0, north: Double(60 - second) * 12,
                accuracy: sigma * Self.radius68PerSigma * claim, speed: 12)
            _ = pipeline.ingest(fix, wallClock: clock)
        }
        var counts = Self.placements.map { _ in (transitions: 0, visits: 0) }
        for second in 60..<Int(hours * 3600) {
            for index in 0...1 {
                east[index].advance(seconds: 1, using: &random)
                north[index].advance(seconds: 1, using: &random)
            }
            let fix = track.fix(
                at: Double(second), east: east[0].value + east[1].value,
                north: north[0].value + north[1].value,
                accuracy: sigma * Self.radius68PerSigma * claim,
                speed: abs(random.normal()) * 0.15)
            for transition in pipeline.ingest(fix, wallClock: clock).transitions {
                guard let index = Int(transition.fenceID) else { continue }
                count(transition, Self.placements[index], &counts[index])
            }
        }
        return counts
    }

    /// The one arrival at a place inside is true; so is its dwell.
    private func count(
        _ transition: Transition, _ placement: Double,
        _ counts: inout (transitions: Int, visits: Int)
    ) {
        switch transition.kind {
        case .dwell: if placement <= 0 { counts.visits += 1 }
        case .enter, .exit, .pass: counts.transitions += 1
        }
    }
}

@Suite("Parked beside an edge")
struct ParkedSoakTests {
    static let seeds = UInt64(ProcessInfo.processInfo.environment["GEOFENCED_SEEDS"] ?? "") ?? 1
    static let hours = seeds > 1 ? 24.0 : 3.0

    @Test(
        "an honest receiver makes at most 12 false transitions in any day, and one false visit a day",
        arguments: [2.5, 5, 12, 20], [0, 0.8])
    func honest(sigma: Double, slowShare: Double) {
        var visits = ParkedSoak.placements.map { _ in 0 }
        for seed in 1...Self.seeds {
            let soak = ParkedSoak(
                sigma: sigma, slowShare: slowShare, claim: 1, hours: Self.hours, seed: seed)
            for (index, count) in soak.run().enumerated() {
                // The arrival itself is one.
                #expect(
                    count.transitions <= 12 + 1,
                    "seed \(seed), \(ParkedSoak.placements[index]) m inside")
                visits[index] += count.visits
            }
        }
        // A rate, over all days of a placement: chance puts two into one day now and then.
        for (index, count) in visits.enumerated() {
            #expect(
                count <= Int(Self.seeds),
                "\(ParkedSoak.placements[index]) m inside: \(count) in \(Self.seeds) days")
        }
    }
}
