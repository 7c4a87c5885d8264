import Foundation
import Geodesy
import GeofenceAgent
import Geofencing
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@Suite("Properties of the pipeline over seeded drives")
struct PipelinePropertyTests {
    static let seeds =
        1...(UInt64(ProcessInfo.processInfo.environment["GEOFENCED_SEEDS"] ?? "") ?? 6)

    private static let clock = WallClockReading(
        time: PlaneTrack().start, isSynchronised: true)

    /// Runs fixes and returns what was decided; `restarts` names the fixes before which the process
    /// is started again from its last commit.
    private func run(
        _ fences: [Fence], _ fixes: [Fix], restarts: Set<Int> = [], commitsAlways: Bool = false
    ) throws -> [Transition] {
        let boot = BootID("boot")
        var pipeline = TrackingPipeline(bootID: boot)
        var log = pipeline.replaceFences(
            fences, at: Uptime(milliseconds: 0), wallClock: Self.clock
        ).transitions
        var persisted = pipeline.persistedState
        for (index, fix) in fixes.enumerated() {
            if restarts.contains(index) {
                let bytes = try WireCoding.encode(persisted)
                let state = try WireCoding.decode(PipelineState.self, from: bytes)
                pipeline = TrackingPipeline(bootID: boot, restoring: state)
                log +=
                    pipeline.replaceFences(
                        fences, at: fix.uptime, wallClock: Self.clock
                    ).transitions
            }
            let output = pipeline.ingest(fix, wallClock: Self.clock)
            if output.stateChanged || commitsAlways { persisted = pipeline.persistedState }
            log += output.transitions
        }
        return log
    }

    @Test("no exit without an enter, no dwell outside, no negative duration", arguments: seeds)
    func balance(seed: UInt64) throws {
        let world = DriveWorld(seed: seed)
        var inside: Set<String> = []
        var dwelled: Set<String> = []
        var count = 0
        for transition in try run(world.fences, world.fixes) {
            count += 1
            let id = transition.fenceID
            #expect(
                !(transition.occurred.utc.map { later in
                    transition.detected.utc.map { $0 < later } ?? false
                } ?? false), "seed \(seed): \(id) occurred after it was detected")
            switch transition.kind {
            case .enter:
                #expect(inside.insert(id).inserted, "seed \(seed): \(id) entered twice")
            case .exit:
                #expect(inside.remove(id) != nil, "seed \(seed): \(id) left without an enter")
                #expect((transition.durationSeconds ?? -1) >= 0, "seed \(seed): \(id)")
                #expect(transition.endsVisit == (dwelled.remove(id) != nil), "seed \(seed)")
            case .dwell:
                #expect(inside.contains(id), "seed \(seed): dwell outside of \(id)")
                #expect(dwelled.insert(id).inserted, "seed \(seed): \(id) dwelled twice")
            case .pass:
                #expect(!inside.contains(id), "seed \(seed): pass inside of \(id)")
            }
        }
        #expect(count > 10, "seed \(seed) is an empty world")
    }

    @Test("the same inputs give the same decisions, to the last bit", arguments: seeds)
    func determinism(seed: UInt64) throws {
        let world = DriveWorld(seed: seed)
        #expect(try run(world.fences, world.fixes) == run(world.fences, world.fixes))
    }

    @Test("duplicates and stale fixes change nothing", arguments: seeds)
    func duplicates(seed: UInt64) throws {
        let world = DriveWorld(seed: seed)
        var random = SeededGenerator(seed: seed &* 31 &+ 9)
        var dirty: [Fix] = []
        for (index, fix) in world.fixes.enumerated() {
            dirty.append(fix)
            guard fix.coordinate != nil, random.unit() < 0.2 else { continue }
            // The same epoch again, or one of the last ten epochs, some milliseconds later.
            let back = Int(random.within(0..<10))
            var repeated = world.fixes[max(0, index - back)]
            guard repeated.coordinate != nil else { continue }
            repeated.uptime = fix.uptime.advanced(byMilliseconds: 20)
            dirty.append(repeated)
        }
        #expect(
            try run(world.fences, dirty).map(TrackingPipelineStory.words)
                == run(world.fences, world.fixes).map(TrackingPipelineStory.words))
    }

    @Test("where on Earth it happens does not matter", arguments: seeds)
    func invariance(seed: UInt64) throws {
        let home = DriveWorld(seed: seed)
        let story = try run(home.fences, home.fixes).map(TrackingPipelineStory.words)
        for (latitude, longitude) in [(47.0, 180.0), (-47, -179.999), (0, 8), (78, 15), (-78, 180)]
        {
            let there = DriveWorld(seed: seed, latitude: latitude, longitude: longitude)
            #expect(
                try run(there.fences, there.fixes).map(TrackingPipelineStory.words) == story,
                "seed \(seed) at \(latitude), \(longitude)")
        }
    }

    @Test("a mirrored world gives the mirrored story", arguments: seeds)
    func mirror(seed: UInt64) throws {
        let world = DriveWorld(seed: seed, latitude: 0, longitude: 0)
        func mirrored(_ coordinate: Coordinate) -> Coordinate {
            Coordinate(latitude: -coordinate.latitude, longitude: -coordinate.longitude)
                ?? coordinate
        }
        let fixes = world.fixes.map { fix in
            var copy = fix
            copy.coordinate = fix.coordinate.map(mirrored)
            return copy
        }
        let fences = world.fences.map { fence in
            var copy = fence
            if case .circle(let center, let radius) = fence.shape {
                copy.shape = .circle(center: mirrored(center), radiusMeters: radius)
            }
            return copy
        }
        #expect(
            try run(fences, fixes).map(TrackingPipelineStory.words)
                == run(world.fences, world.fixes).map(TrackingPipelineStory.words))
    }

    @Test("restarts at random moments give the same enters, exits and dwells", arguments: seeds)
    func restarts(seed: UInt64) throws {
        let world = DriveWorld(seed: seed)
        var random = SeededGenerator(seed: seed &* 31 &+ 11)
        var restarts: Set<Int> = []
        for _ in 0..<6 { restarts.insert(Int(random.within(1..<1500))) }
        func story(_ log: [Transition]) -> [String: [String]] {
            Dictionary(
                grouping: log.filter { $0.kind != .pass }, by: \.fenceID
            ).mapValues { $0.map(TrackingPipelineStory.words) }
        }
        let expected = story(try run(world.fences, world.fixes))
        #expect(
            story(try run(world.fences, world.fixes, restarts: restarts, commitsAlways: true))
                == expected, "seed \(seed), restarts before \(restarts.sorted())")
        #expect(
            story(try run(world.fences, world.fixes, restarts: restarts)) == expected,
            "seed \(seed), restarts before \(restarts.sorted()), committed when due")
    }

    @Test("looking only at fences in reach decides what looking at all would", arguments: seeds)
    func reach(seed: UInt64) throws {
        let world = DriveWorld(seed: seed)
        let prepared = try world.fences.map { try PreparedFence($0) }
        #expect(
            decide(prepared, world.fixes, looksEverywhere: false)
                == decide(prepared, world.fixes, looksEverywhere: true), "seed \(seed)")
    }

    private func decide(
        _ fences: [PreparedFence], _ fixes: [Fix], looksEverywhere: Bool
    ) -> [Transition] {
        var tracker = FenceTracker()
        var filter = FixFilter()
        var log = tracker.setFences(
            fences, at: Moment(uptime: Uptime(milliseconds: 0), utc: nil))
        tracker.setMonitored(Array(fences.indices), at: Uptime(milliseconds: 0))
        for fix in fixes {
            let judged = filter.ingest(fix)
            for member in judged.released + [judged.latest] {
                if looksEverywhere { tracker.forgetDistances() }
                log += tracker.ingest(member)
            }
        }
        return log
    }

    @Test("far from every fence the odometer goes on over a restart")
    func restartFarAway() throws {
        // The fence is seeded on the fix before the restart; the way since then counts.
        let track = PlaneTrack(latitude: 47, longitude: 8)
        let fence = try PreparedFence(
            Fence(
                id: "A", name: "A",
                shape: .circle(center: track.coordinate(east: 0), radiusMeters: 100)))
        var tracker = FenceTracker()
        _ = tracker.ingest(track.accepted(at: 0, east: -880))
        tracker = FenceTracker(rules: TransitionRules(), restoring: tracker.state)
        _ = tracker.setFences([fence], at: Moment(uptime: Uptime(milliseconds: 0), utc: nil))
        tracker.setMonitored([0], at: Uptime(milliseconds: 1000))
        var kinds: [Transition.Kind] = []
        for step in 1...60 {
            kinds += tracker.ingest(
                track.accepted(at: Double(10 + step), east: Double(step) * 10 - 300)
            ).map(\.kind)
        }
        #expect(kinds == [.enter, .exit])
    }
}
