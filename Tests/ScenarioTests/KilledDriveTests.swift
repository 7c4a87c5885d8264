import Foundation
import Geodesy
import GeofenceAgent
import Geofencing
import Positioning
import Simulation
import Snapshots
import TestSupport
import Testing
import Timekeeping
import WireFormat

/// An hour's drive whose process is killed and goes on with the next fix.
struct KilledDrive {
    let fences: [Fence]
    let fixes: [Fix]
    static let boot = BootID("boot")

    /// What a killed process leaves to the next.
    enum Legacy {
        /// What it wrote to the queue, and the snapshot after its last fix.
        case snapshot
        /// What it wrote to the queue.
        case queue
    }

    init(seed: UInt64) {
        let track = PlaneTrack(latitude: 52, longitude: 13)
        var random = Simulation.SeededGenerator(seed: seed, stream: 40)
        var places: [PlanePoint] = []
        fences = (0..<15).map { index in
            let place = PlanePoint(
                east: random.uniform(in: -2000..<2000), north: random.uniform(in: -2000..<2000))
            places.append(place)
            return Fence(
                id: "f\(index)", name: "f\(index)",
                shape: .circle(
                    center: track.coordinate(east: place.east, north: place.north),
                    radiusMeters: random.uniform(in: 60..<200)),
                dwellSeconds: index % 2 == 0 ? 60 : nil)
        }
        var drive = WorldDrive(seed: seed, halfWidth: 2000, places: places)
        fixes = (0..<3600).map { second in
            let sample = drive.next()
            return track.fix(
                at: Double(second), east: sample.seen.east, north: sample.seen.north,
                accuracy: 8, speed: sample.speed)
        }
    }

    /// What is decided when the process dies before each of some fixes.
    func run(killedBefore kills: Set<Int> = [], leaving legacy: Legacy) throws -> [Transition] {
        let clock = WallClockReading(
            time: UTCTime(millisecondsSince1970: 1_767_225_600_000), isSynchronised: true)
        var pipeline = TrackingPipeline(bootID: Self.boot)
        var log = pipeline.replaceFences(
            fences, at: Uptime(milliseconds: 0), wallClock: clock
        ).transitions
        var persisted = pipeline.persistedState
        for (index, fix) in fixes.enumerated() {
            if kills.contains(index) {
                var state = persisted
                if legacy == .snapshot {
                    var writer = SnapshotWriter()
                    writer.write(try #require(pipeline.snapshot))
                    state.snapshot = SnapshotBytes(writer.bytes)
                }
                let bytes = try WireCoding.encode(state)
                pipeline = TrackingPipeline(
                    bootID: Self.boot,
                    restoring: try WireCoding.decode(PipelineState.self, from: bytes))
                log +=
                    pipeline.replaceFences(fences, at: fix.uptime, wallClock: clock).transitions
                persisted = pipeline.persistedState
            }
            let output = pipeline.ingest(fix, wallClock: clock)
            if output.stateChanged { persisted = pipeline.persistedState }
            log += output.transitions
        }
        return log
    }
}

@Suite("A drive whose agent is killed")
struct KilledDriveTests {
    static let seeds: ClosedRange<UInt64> =
        1...(UInt64(ProcessInfo.processInfo.environment["GEOFENCED_KILLED_SEEDS"] ?? "") ?? 10)
    static let kills = 100

    @Test(
        "killed at any of 100 moments it tells the same, to the last bit", arguments: seeds)
    func once(seed: UInt64) throws {
        let drive = KilledDrive(seed: seed)
        let expected = try drive.run(leaving: .snapshot)
        #expect(expected.count > 20, "seed \(seed)")
        var random = Simulation.SeededGenerator(seed: seed, stream: 41)
        for _ in 0..<Self.kills {
            let kill = Int.random(in: 1..<3600, using: &random)
            compare(
                try drive.run(killedBefore: [kill], leaving: .snapshot), expected,
                "seed \(seed), \(kill)")
        }
    }

    @Test("killed at 100 moments of one drive it tells the same, to the last bit", arguments: seeds)
    func often(seed: UInt64) throws {
        let drive = KilledDrive(seed: seed)
        compare(
            try drive.run(killedBefore: Self.moments(seed), leaving: .snapshot),
            try drive.run(leaving: .snapshot), "seed \(seed), often")
    }

    @Test(
        "killed before every fix it tells the same, to the last bit",
        arguments: 1...2 as ClosedRange<UInt64>)
    func always(seed: UInt64) throws {
        let drive = KilledDrive(seed: seed)
        compare(
            try drive.run(killedBefore: Set(1..<3600), leaving: .snapshot),
            try drive.run(leaving: .snapshot), "seed \(seed), always")
    }

    /// As after a power cut: each restart is an outage, so a moment may be off and a pass missing.
    @Test("with nothing but the queue it tells of each fence in turn, in and out", arguments: seeds)
    func queueAlone(seed: UInt64) throws {
        let drive = KilledDrive(seed: seed)
        var inside: Set<String> = []
        var dwelled: Set<String> = []
        for transition in try drive.run(
            killedBefore: Self.moments(seed), leaving: .queue)
        {
            let words = Self.words(transition)
            switch transition.kind {
            case .enter:
                #expect(inside.insert(transition.fenceID).inserted, "seed \(seed): \(words)")
            case .exit:
                #expect(inside.remove(transition.fenceID) != nil, "seed \(seed): \(words)")
                #expect(
                    transition.endsVisit == (dwelled.remove(transition.fenceID) != nil),
                    "seed \(seed): \(words)")
            case .dwell:
                #expect(inside.contains(transition.fenceID), "seed \(seed): \(words)")
                #expect(dwelled.insert(transition.fenceID).inserted, "seed \(seed): \(words)")
            case .pass: #expect(!inside.contains(transition.fenceID), "seed \(seed): \(words)")
            }
        }
    }

    private static func moments(_ seed: UInt64) -> Set<Int> {
        var random = Simulation.SeededGenerator(seed: seed, stream: 42)
        var kills: Set<Int> = []
        while kills.count < Self.kills { kills.insert(Int.random(in: 1..<3600, using: &random)) }
        return kills
    }

    private func compare(_ got: [Transition], _ expected: [Transition], _ label: String) {
        guard got != expected else { return }
        let pairs = zip(got, expected)
        let difference = pairs.first { $0 != $1 }
        Issue.record(
            """
            \(label): \(got.count) for \(expected.count), first \
            \(difference.map { "\($0.0)\n for \($0.1)" } ?? "at the end")
            """)
    }

    private static func words(_ transition: Transition) -> String {
        "\(transition.kind.rawValue) \(transition.fenceID)"
    }
}
