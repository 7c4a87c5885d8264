import Delivery
import GeofenceAgent
import Geofencing
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@Suite("The pipeline")
struct TrackingPipelineTests {
    private let boot = BootID("boot")

    @Test("a kiosk that is carried away says so once, over a restart; a vehicle does not")
    func moved() throws {
        let rules = PipelineRules(nil, profile: .kiosk)
        var bench = Bench(boot, rules: rules)
        for second in 0..<20 { bench.fix(at: Double(second), east: 0, speed: 0) }
        let bytes = try WireCoding.encode(bench.persisted)
        let state = try WireCoding.decode(PipelineState.self, from: bytes)
        bench.pipeline = TrackingPipeline(rules: rules, bootID: boot, restoring: state)
        for second in 100..<130 { bench.fix(at: Double(second), east: 500, speed: 0) }
        let moves = bench.drafts.filter { $0.kind == .moved }
        #expect(moves.count == 1)
        #expect(moves.first?.fix?.coordinate != nil)
        #expect(moves.first?.fenceID == nil)
        var vehicle = Bench(boot, rules: PipelineRules(nil, profile: .vehicle))
        for second in 0..<20 { vehicle.fix(at: Double(second), east: 0, speed: 0) }
        for second in 100..<130 { vehicle.fix(at: Double(second), east: 500, speed: 0) }
        #expect(!vehicle.drafts.contains { $0.kind == .moved })
    }

    /// A pipeline with circle A (100 m, dwell 60 s) around the origin.
    private struct Bench {
        var track = PlaneTrack()
        var pipeline: TrackingPipeline
        var drafts: [EventDraft] = []
        var persisted: PipelineState
        let clock = WallClockReading(time: PlaneTrack().start, isSynchronised: true)
        var fences: [Fence]

        init(_ boot: BootID, rules: PipelineRules = PipelineRules(), _ fences: [Fence]? = nil) {
            let track = PlaneTrack()
            self.fences =
                fences ?? [
                    Fence(
                        id: "A", name: "A",
                        shape: .circle(
                            center: track.coordinate(east: 0), radiusMeters: 100),
                        dwellSeconds: 60)
                ]
            pipeline = TrackingPipeline(rules: rules, bootID: boot)
            persisted = pipeline.persistedState
            take(
                pipeline.replaceFences(
                    self.fences, at: Uptime(milliseconds: 0), wallClock: clock))
        }

        mutating func take(_ output: PipelineOutput) {
            drafts += output.drafts
            if output.stateChanged { persisted = pipeline.persistedState }
        }

        @discardableResult
        mutating func fix(
            at seconds: Double, east: Double, speed: Double? = 2, isTrusted: Bool = true,
            source: FixOrigin = .recording
        ) -> PipelineOutput {
            let output = pipeline.ingest(
                track.fix(
                    at: seconds, east: east, speed: speed, source: source, isTrusted: isTrusted),
                wallClock: clock)
            take(output)
            return output
        }

        /// From 500 m away to the centre by second 49, at 10 m/s.
        mutating func arrive() {
            for second in 0..<50 {
                fix(at: Double(second), east: 490 - Double(second) * 10, speed: 10)
            }
        }

        mutating func restart(boot: BootID, at seconds: Double) throws {
            let bytes = try WireCoding.encode(persisted)
            pipeline = TrackingPipeline(
                bootID: boot, restoring: try WireCoding.decode(PipelineState.self, from: bytes))
            take(
                pipeline.replaceFences(
                    fences,
                    at: Uptime(milliseconds: Int64(seconds * 1000) + track.bootOffset),
                    wallClock: clock))
        }

        var kinds: [EventKind] { drafts.map(\.kind) }
    }

    @Test("visits start with their dwell and end with their exit")
    func visits() throws {
        var bench = Bench(boot)
        bench.arrive()
        for second in 50..<130 { bench.fix(at: Double(second), east: 0) }
        for second in 130..<140 {
            bench.fix(at: Double(second), east: Double(second - 130) * 40, speed: 40)
        }
        try #require(bench.kinds == [.enter, .dwell, .visitStarted, .exit, .visitEnded])
        #expect(bench.drafts[4].durationSeconds == bench.drafts[3].durationSeconds)
        #expect(bench.drafts.allSatisfy { $0.timeQuality == .gnss && $0.bootID == boot })
        #expect(bench.drafts.allSatisfy { $0.occurred.utc != nil && $0.fix != nil })
    }

    @Test("an untrusted time leaves an event without UTC and says so")
    func untrusted() {
        var bench = Bench(boot)
        for second in 0..<5 { bench.fix(at: Double(second), east: 0, isTrusted: false) }
        #expect(bench.kinds == [.enter])
        #expect(bench.drafts[0].timeQuality == .gnssUnconfirmed)
        #expect(bench.drafts[0].occurred.utc == nil)
        #expect(bench.drafts[0].occurred.uptime != nil)
    }

    @Test("quarantined fixes are run in order when they are released")
    func released() {
        var bench = Bench(boot)
        for second in 0..<10 { bench.fix(at: Double(second), east: -2000, speed: 5) }
        #expect(bench.fix(at: 70, east: -103, speed: 6).verdict == .quarantined)
        #expect(bench.fix(at: 71, east: -97, speed: 6).verdict == .quarantined)
        let output = bench.fix(at: 72, east: -91, speed: 6)
        #expect(output.verdict == .ok)
        #expect(output.transitions.map(\.kind) == [.enter])
        // Only the two that were held know when the edge was crossed.
        let occurred = output.transitions.first?.occurred.uptime?.milliseconds ?? 0
        #expect(occurred > 70_000 && occurred < 71_000)
    }

    @Test("ignition off, another boot, power back at the same spot: one visit")
    func reboot() throws {
        var bench = Bench(boot)
        bench.arrive()
        for second in 50..<60 { bench.fix(at: Double(second), east: 0) }
        for second in 60..<80 { bench.fix(at: Double(second), east: 0, speed: 0) }
        // Two hours later the machine has been up for ten seconds.
        bench.track.bootOffset = -7_190_000
        try bench.restart(boot: BootID("next"), at: 7195)
        bench.fix(at: 7200, east: 2, speed: 0, isTrusted: false)
        bench.fix(at: 7201, east: 2, speed: 0, isTrusted: false)
        #expect(bench.kinds == [.enter], "nothing is decided before the time is trusted")
        bench.fix(at: 7202, east: 2, speed: 0)
        try #require(bench.kinds == [.enter, .dwell, .visitStarted])
        let dwell = bench.drafts[1]
        #expect(dwell.isInferred)
        #expect(dwell.occurred.utc == bench.track.start.advanced(byMilliseconds: 99_000))
        #expect(dwell.occurred.uptime == nil, "a moment of the boot before is UTC only")
        #expect(dwell.bootID == BootID("next"))
        #expect(
            bench.drafts[2].timeQuality == .gnss || bench.drafts[2].timeQuality == .gnssUnconfirmed)
        for second in 7203..<7230 {
            bench.fix(at: Double(second), east: Double(second - 7203) * 10, speed: 10)
        }
        try #require(bench.kinds == [.enter, .dwell, .visitStarted, .exit, .visitEnded])
        #expect(abs((bench.drafts[3].durationSeconds ?? 0) - 7174) < 2)
    }

    @Test("a fence deleted while the machine was off ends its visit with an unknown duration")
    func deletedWhileOff() throws {
        var bench = Bench(boot)
        bench.arrive()
        bench.track.bootOffset = -7_190_000
        bench.fences = []
        try bench.restart(boot: BootID("next"), at: 7195)
        try #require(bench.kinds == [.enter, .exit])
        #expect(bench.drafts[1].reason == "fence_deleted")
        #expect(bench.drafts[1].durationSeconds == nil)
        #expect(bench.drafts[1].timeQuality == .suspect)
    }

    @Test("without a clock across the boots the dwell clock restarts and the visit is suspect")
    func rebootWithoutClock() throws {
        var bench = Bench(boot)
        for second in 0..<30 { bench.fix(at: Double(second), east: 0, speed: 0, isTrusted: false) }
        bench.track.bootOffset = -7_190_000
        try bench.restart(boot: BootID("next"), at: 7195)
        for second in 7200..<7259 {
            bench.fix(at: Double(second), east: 2, speed: 0, isTrusted: false)
        }
        #expect(bench.kinds == [.enter])
        for second in 7259..<7262 {
            bench.fix(at: Double(second), east: 2, speed: 0, isTrusted: false)
        }
        try #require(bench.kinds == [.enter, .dwell, .visitStarted])
        #expect(bench.drafts[1].timeQuality == .suspect)
        for second in 7262..<7290 {
            bench.fix(
                at: Double(second), east: Double(second - 7262) * 10, speed: 10, isTrusted: false)
        }
        try #require(bench.kinds == [.enter, .dwell, .visitStarted, .exit, .visitEnded])
        #expect(bench.drafts[3].durationSeconds == nil)
        #expect(bench.drafts[3].timeQuality == .suspect)
    }

    @Test("the first epochs of a receiver seed no state")
    func warmUp() {
        var bench = Bench(boot)
        for second in 0..<3 { bench.fix(at: Double(second), east: 0, source: .nmea) }
        #expect(bench.kinds.isEmpty)
        bench.fix(at: 3, east: 0, source: .nmea)
        #expect(bench.kinds == [.enter])
    }

    @Test("while inside the position is persisted at a pause elsewhere, and each minute")
    func checkpoints() {
        var bench = Bench(boot)
        bench.arrive()
        // The enter was committed 100 m before.
        #expect(!bench.fix(at: 50, east: 1).stateChanged)
        #expect(bench.fix(at: 51, east: 1, speed: 0).stateChanged, "a stop")
        #expect(!bench.fix(at: 52, east: 1, speed: 0).stateChanged)
        func void(_ second: Double) -> Bool {
            let output = bench.pipeline.ingest(bench.track.void(at: second), wallClock: bench.clock)
            bench.take(output)
            return output.stateChanged
        }
        #expect(!void(53), "a loss of signal where it was persisted")
        #expect(!bench.fix(at: 54, east: 5, speed: 8).stateChanged, "it is back")
        for second in 55...58 {
            let east = Double(second - 54) * 8 + 5
            #expect(
                !bench.fix(at: Double(second), east: east, speed: 8).stateChanged, "it moves on")
        }
        #expect(void(59), "a loss of signal elsewhere")
        bench.fix(at: 60, east: 40, speed: 0)
        var commits = 0
        for second in 66..<366 where bench.fix(at: Double(second), east: 40, speed: 0).stateChanged
        {
            commits += 1
        }
        // One of them is the dwell's.
        #expect((5...7).contains(commits))
    }

    @Test("outside of all fences nothing is persisted without an event, whatever is monitored")
    func quietOutside() throws {
        let track = PlaneTrack()
        let fences = (0..<60).map { index in
            Fence(
                id: "f\(index)", name: "f\(index)",
                shape: .circle(
                    center: track.coordinate(east: Double(index) * 400, north: 300),
                    radiusMeters: 100))
        }
        var bench = Bench(boot, fences)
        var commits = 0
        var joined: Set<String> = []
        for second in 0..<1100 {
            let isStop = second % 100 < 20
            let output = bench.fix(
                at: Double(second), east: Double(second) * 20, speed: isStop ? 0 : 20)
            if output.stateChanged { commits += 1 }
            for case .registered(let region) in output.regionChanges {
                joined.insert(region.identifier)
            }
        }
        #expect(bench.drafts.isEmpty)
        #expect(joined.count > 50, "the set has changed all the way")
        #expect(commits == 0)
        // A power cut costs nothing: what is outside is found so again.
        try bench.restart(boot: boot, at: 1200)
        for second in 1200..<1230 { bench.fix(at: Double(second), east: 24_000, speed: 20) }
        #expect(bench.drafts.isEmpty)
    }

    @Test("a fence that cannot be measured is left out and named")
    func refused() {
        let track = PlaneTrack()
        let bad = Fence(
            id: "bad", name: "bad",
            shape: .circle(center: track.coordinate(east: 0), radiusMeters: .nan))
        var pipeline = TrackingPipeline(bootID: boot)
        let output = pipeline.replaceFences(
            [bad], at: Uptime(milliseconds: 0),
            wallClock: WallClockReading(time: track.start, isSynchronised: false))
        #expect(output.refusedFences.map(\.id) == ["bad"])
    }

    @Test("the nearest 18 of many are monitored, and a pass by a newcomer is told")
    func nearest() {
        let track = PlaneTrack()
        var fences = (0..<29).map { index in
            Fence(
                id: "x\(index)", name: "x",
                shape: .circle(
                    center: track.coordinate(
                        east: -1400 + 50 * Double(index), north: index % 2 == 0 ? 160 : -160),
                    radiusMeters: 40))
        }
        fences.append(
            Fence(
                id: "A", name: "A",
                shape: .circle(center: track.coordinate(east: 375), radiusMeters: 50)))
        var bench = Bench(boot, fences)
        var regions = 0
        for step in 0..<7 {
            let output = bench.fix(
                at: Double(step) * 30, east: -2250 + 750 * Double(step), speed: 25)
            for change in output.regionChanges {
                switch change {
                case .registered: regions += 1
                case .unregistered: regions -= 1
                }
            }
            #expect(regions == 18)
        }
        #expect(bench.drafts.map(\.kind) == [.pass])
        #expect(bench.drafts.map(\.fenceID) == ["A"])
    }
}
