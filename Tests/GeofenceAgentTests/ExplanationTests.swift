import Geofencing
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("Explanations")
struct ExplanationTests {
    private static let clock = WallClockReading(time: PlaneTrack().start, isSynchronised: true)

    /// Whether all that a row asks for is there.
    private func isMet(_ row: FenceExplanation.Row, speed: Double) -> Bool {
        row.missingMeters == 0 && row.confirmations >= row.neededConfirmations - 1
            && (row.neededConfirmations == 1 || row.confirmations >= row.neededConfirmations)
            && row.spanSeconds >= row.neededSpanSeconds && speed >= row.neededSpeed ?? 0
    }

    @Test(
        "never say that everything is there while nothing happens", arguments: UInt64(1)...8)
    func consistent(seed: UInt64) throws {
        let world = DriveWorld(seed: seed)
        var pipeline = TrackingPipeline(bootID: BootID("boot"))
        _ = pipeline.replaceFences(
            world.fences, at: Uptime(milliseconds: 0), wallClock: Self.clock)
        var whys: Set<FenceExplanation.Why> = []
        for fix in world.fixes {
            let output = pipeline.ingest(fix, wallClock: Self.clock)
            guard output.verdict == .ok else { continue }
            for fence in world.fences {
                let found = try #require(
                    pipeline.tracker.explanation(of: fence.id, at: fix.uptime))
                whys.insert(found.why)
                let distance = try #require(found.measure?.signedDistanceMeters)
                switch found.why {
                case .outside: #expect(found.presence == .outside && distance <= 0)
                case .inside: #expect(found.presence == .inside && distance > 0)
                case .arrivalUnconfirmed: #expect(found.presence == .outside && distance > 0)
                case .departureUnconfirmed: #expect(found.presence == .inside && distance <= 0)
                default: continue
                }
                for row in found.rows {
                    #expect(
                        !isMet(row, speed: fix.speed ?? 0) || distance == 0,
                        "seed \(seed): \(fence.id) \(row) at \(fix.uptime)")
                }
            }
        }
        #expect(whys.isSuperset(of: [.outside, .inside, .arrivalUnconfirmed]), "seed \(seed)")
    }

    @Test("tell the numbers of the rows in words and in JSON")
    func words() async throws {
        let agent = await AgentFixture()
        await agent.drive(stride(from: -300.0, through: -90, by: 10).map { $0 })
        // Within the boundary by less than the accuracy would need: two positions are asked for.
        let near = try #require(await agent.tracking.explanation(ofFence: "A"))
        #expect(near.state == "inside" || near.state == "outside")
        await agent.drive([Double](repeating: 0, count: 10), speed: 5)
        let inside = try #require(await agent.tracking.explanation(ofFence: "A"))
        #expect(inside.state == "inside" && inside.why == "inside")
        #expect(abs(try #require(inside.measured).signedDistanceMeters - 100) < 0.1)
        let exit = try #require(inside.rows.first)
        #expect(exit.rule == "margin" && abs(exit.neededDistanceMeters + 10) < 1e-9)
        #expect(abs(exit.missingMeters - 110) < 0.1)
        #expect(exit.neededConfirmations == 2)
        let dwell = try #require(inside.dwell)
        #expect(dwell.neededSeconds == 20 && (5...25).contains(dwell.elapsedSeconds))
        let text = inside.words.joined(separator: "\n")
        #expect(text.contains("A: inside"))
        #expect(text.contains("110.0 m missing to 10.0 m outside, 0 of 2 positions"))
        #expect(text.contains("of 20.0 s"))
        #expect(
            try WireCoding.decode(FenceReport.self, from: WireCoding.encode(inside)).words
                == inside.words)
        #expect(await agent.tracking.explanation(ofFence: "nowhere") == nil)
    }

    @Test("say what each event of a visit rests on")
    func events() async throws {
        let agent = await AgentFixture()
        await agent.visit()
        let events = agent.queueReader.events
        #expect(events.count == 5)
        for event in events {
            let report = await agent.tracking.explanation(of: event)
            let text = report.words.joined(separator: "\n")
            #expect(text.hasPrefix("#\(event.sequence) \(event.type)"))
            guard event.type == "exit" else { continue }
            let evidence = try #require(event.evidence)
            let accuracy = try #require(evidence.accuracyMeters)
            #expect(report.neededDistanceMeters == -(accuracy + max(5, accuracy)))
            #expect(
                try #require(evidence.signedDistanceMeters) < (report.neededDistanceMeters ?? 0))
            #expect(text.contains("needed: 10.0 m outside"))
        }
    }
}
