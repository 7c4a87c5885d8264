import Geodesy
import GeofenceAgent
import Geofencing
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

/// A device that drives east along a line and learns of its fences from a server.
@Suite("Fences that come and go with the server's answers")
struct FenceSwapTests {
    private let track = PlaneTrack()
    private static let clock = WallClockReading(time: PlaneTrack().start, isSynchronised: true)

    private func circle(_ id: String, _ east: Double, radius: Double = 100) -> Fence {
        Fence(
            id: id, name: id,
            shape: .circle(center: track.coordinate(east: east), radiusMeters: radius))
    }

    private func answer(
        _ fences: [Fence], radius: Double?, limit: Int? = nil
    ) -> (FenceCoverage, FenceAnswer) {
        let coverage = FenceCoverage(
            syncID: "s", refreshAfterMeters: 1000, refreshAfterSeconds: 21_600,
            coverageRadiusMeters: radius)
        var configuration = RemoteConfiguration()
        configuration.fenceLimit = limit
        return (
            coverage,
            FenceAnswer(
                coverage: coverage, fences: fences, configuration: configuration, entityTag: nil,
                document: [])
        )
    }

    private func take(
        _ answer: (FenceCoverage, FenceAnswer), at seconds: Double,
        by pipeline: inout TrackingPipeline
    ) -> [Transition] {
        pipeline.syncSucceeded(
            answer.0, answer: answer.1, at: Uptime(milliseconds: Int64(seconds * 1000)),
            wallClock: Self.clock
        ).transitions
    }

    /// Fixes at 25 m/s until just inside A's edge, where an answer comes that was asked for 200 m
    /// outside of it and does not name A.
    private func swap(radius: Double?) -> (atOnce: [Transition], later: [Transition]) {
        var pipeline = TrackingPipeline(
            bootID: BootID("swap"), syncingFrom: Uptime(milliseconds: 0))
        let fence = circle("A", 0)
        func fix(_ second: Int, _ pipeline: inout TrackingPipeline) -> PipelineOutput {
            pipeline.ingest(
                track.fix(at: Double(second), east: -325 + 25 * Double(second), speed: 25),
                wallClock: Self.clock)
        }
        #expect(fix(0, &pipeline).sync != nil)
        _ = take(answer([fence], radius: nil), at: 0.5, by: &pipeline)
        pipeline.configurationPushed()
        #expect(fix(1, &pipeline).sync != nil)
        var inside: [Transition] = []
        for second in 2...11 { inside += fix(second, &pipeline).transitions }
        #expect(inside.map(\.kind) == [.enter])
        let atOnce = take(answer([], radius: radius), at: 11.5, by: &pipeline)
        var later: [Transition] = []
        for second in 12...30 { later += fix(second, &pipeline).transitions }
        return (atOnce, later)
    }

    @Test("an answer that changes nothing is not worth a write, and goes with the next one")
    func notModified() {
        var pipeline = TrackingPipeline(
            bootID: BootID("swap"), syncingFrom: Uptime(milliseconds: 0))
        func fix(_ second: Double, _ pipeline: inout TrackingPipeline) -> PipelineOutput {
            pipeline.ingest(
                track.fix(at: second, east: -5000 + 25 * second, speed: 25), wallClock: Self.clock)
        }
        #expect(fix(0, &pipeline).sync != nil)
        let first = answer([circle("A", 0)], radius: nil)
        let taken = pipeline.syncSucceeded(
            first.0, answer: first.1, at: Uptime(milliseconds: 500), wallClock: Self.clock)
        #expect(taken.stateChanged)
        let before = pipeline.persistedState.coverage?.anchor
        var asked: Double?
        for second in 1...60 where asked == nil {
            let output = fix(Double(second), &pipeline)
            #expect(!output.stateChanged)
            if output.sync != nil { asked = Double(second) }
        }
        #expect(asked != nil)
        let same = pipeline.syncSucceeded(
            first.0, answer: nil, at: Uptime(milliseconds: 61_000), wallClock: Self.clock)
        #expect(!same.stateChanged)
        #expect(pipeline.persistedState.coverage?.anchor != before)
    }

    @Test("a fence that the device is in and that an answer need not have named stays")
    func beyond() {
        let kept = swap(radius: 150)
        #expect(kept.atOnce.isEmpty)
        #expect(kept.later.map(\.kind) == [.exit])
        #expect(kept.later.first?.reason == nil)
        // One that the answer would have named is no more.
        for radius in [500, nil] as [Double?] {
            let gone = swap(radius: radius)
            #expect(gone.atOnce.map(\.reason) == [.fenceDeleted])
            #expect(gone.later.isEmpty)
        }
    }

    @Test("a fence that is being passed keeps its region until that is decided")
    func pending() {
        var rules = PipelineRules()
        rules.fenceLimit = 1
        var pipeline = TrackingPipeline(rules: rules, bootID: BootID("pending"))
        // The large one begins where the small one ends, and holds the device by then.
        _ = pipeline.replaceFences(
            [circle("small", 0, radius: 50), circle("large", 1010, radius: 1000)],
            at: Uptime(milliseconds: 0), wallClock: Self.clock)
        var told: [Transition] = []
        for step in -20...8 {
            let fix = track.fix(
                at: Double(step + 20), east: 25 * Double(step), north: 45, accuracy: 10, speed: 25)
            told += pipeline.ingest(fix, wallClock: Self.clock).transitions
        }
        #expect(told.map(TrackingPipelineStory.words) == ["pass small", "enter large"])
    }

    @Test("a cache that says limit 0 ends the visit of before the restart and monitors nothing")
    func killSwitchInTheCache() throws {
        let boot = BootID("off")
        let fence = circle("A", 0)
        var pipeline = TrackingPipeline(bootID: boot, syncingFrom: Uptime(milliseconds: 0))
        _ = take(answer([fence], radius: nil), at: 0, by: &pipeline)
        var told: [Transition] = []
        for second in 1...5 {
            told +=
                pipeline.ingest(track.fix(at: Double(second), east: 0), wallClock: Self.clock)
                .transitions
        }
        #expect(told.map(\.kind) == [.enter])
        let state = try WireCoding.decode(
            PipelineState.self, from: try WireCoding.encode(pipeline.persistedState))
        pipeline = TrackingPipeline(
            bootID: boot, restoring: state, syncingFrom: Uptime(milliseconds: 6000))
        var configuration = RemoteConfiguration()
        configuration.fenceLimit = 0
        let restored = pipeline.restoreFences(
            [fence], configuration: configuration, at: Uptime(milliseconds: 6000),
            wallClock: Self.clock
        ).transitions
        #expect(restored.map(\.reason) == [.fenceDisabled])
        #expect(restored.map(\.kind) == [.exit])
        for second in 7...12 {
            let output = pipeline.ingest(
                track.fix(at: Double(second), east: 0), wallClock: Self.clock)
            #expect(output.transitions.isEmpty && output.regionChanges.isEmpty)
        }
        #expect(pipeline.region(of: "A") == nil)
        // The next answer lifts it: a start inside.
        let lifted = take(answer([fence], radius: nil, limit: 18), at: 12.5, by: &pipeline)
        #expect(lifted.isEmpty)
        let again = pipeline.ingest(track.fix(at: 13, east: 0), wallClock: Self.clock).transitions
        #expect(again.map(\.kind) == [.enter])
    }
}
