import Delivery
import Geodesy
import Geofencing
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("Check-in state and regions")
struct CheckInTests {
    private func words(_ agent: AgentFixture, _ events: AsyncStream<LocalEvent>) async -> [String] {
        agent.hub.close()
        var words: [String] = []
        for await event in events {
            if case .checkIn(let checkIn) = event {
                words.append(checkIn.state.rawValue + (checkIn.fenceID.map { " \($0)" } ?? ""))
            }
        }
        return words
    }

    @Test("a visit goes through the words in order, each told once")
    func visit() async throws {
        let agent = await AgentFixture()
        let events = agent.hub.listen()
        #expect(await agent.tracking.status(upload: nil).checkIn.state == .idle)
        await agent.visit()
        let status = await agent.tracking.status(upload: nil)
        #expect(status.checkIn.state == .monitoring)
        #expect(
            await words(agent, events) == ["MONITORING", "ARRIVED A", "CHECKED_IN A", "MONITORING"])
    }

    @Test("since is the moment of the arrival, then that of the dwell")
    func since() async throws {
        let agent = await AgentFixture()
        await agent.drive(stride(from: -300.0, through: 0, by: 10).map { $0 })
        let arrived = await agent.tracking.status(upload: nil).checkIn
        let entered = try #require(agent.queueReader.events.first?.occurredAt)
        #expect(arrived.state == .arrived && arrived.since == entered && arrived.fenceName == "A")
        await agent.drive([Double](repeating: 0, count: 40), speed: 0)
        let checkedIn = await agent.tracking.status(upload: nil).checkIn
        #expect(checkedIn.state == .checkedIn)
        #expect(checkedIn.since?.time == entered.time.advanced(byMilliseconds: 20_000))
    }

    @Test("with several fences the latest arrival shows, and after its exit the one before")
    func several() async throws {
        let inner = Fence(
            id: "B", name: "B", shape: .circle(center: place(10, 20), radiusMeters: 40))
        let agent = await AgentFixture(fences: [AgentFixture.fence, inner])
        let events = agent.hub.listen()
        await agent.drive(stride(from: -300.0, through: 80, by: 10).map { $0 })
        #expect(
            await words(agent, events) == ["MONITORING", "ARRIVED A", "ARRIVED B", "ARRIVED A"])
    }

    @Test(
        "a receiver that is away is an error after a minute, and clears itself",
        arguments: [SourceHealth.State.noDevice, .noData, .wrongBaud, .portBusy])
    func absent(state: SourceHealth.State) async {
        let agent = await AgentFixture()
        await agent.drive([-300, -290])
        await agent.tracking.take(.health(SourceHealth(state, "unplugged")))
        for _ in 0..<60 {
            await agent.tracking.tick()
            agent.time.advance(milliseconds: 1000)
        }
        #expect(await agent.tracking.status(upload: nil).checkIn.state == .monitoring)
        for _ in 0..<3 {
            await agent.tracking.tick()
            agent.time.advance(milliseconds: 1000)
        }
        let error = await agent.tracking.status(upload: nil).checkIn
        #expect(error.state == .error && error.code == "receiver_absent")
        #expect(error.reason == "unplugged" && error.nextAction?.isEmpty == false)
        #expect(await agent.tracking.fenceList().unavailableReason == "no_receiver")
        await agent.tracking.take(.health(SourceHealth(.fix, "")))
        await agent.drive([-280, -270])
        #expect(await agent.tracking.status(upload: nil).checkIn.state == .monitoring)
        #expect(await agent.tracking.fenceList().isAvailable)
    }

    @Test("a denied permission is an error at once, and regions are unavailable for it")
    func denied() async {
        let agent = await AgentFixture()
        let events = agent.hub.listen()
        await agent.tracking.take(.health(SourceHealth(.permissionDenied, "no group")))
        await agent.tracking.tick()
        let status = await agent.tracking.status(upload: nil)
        #expect(status.checkIn.code == "permission_denied")
        #expect(await agent.tracking.fenceList().unavailableReason == "permission_denied")
        agent.hub.close()
        var codes: [String] = []
        for await event in events {
            if case .error(let code, _) = event { codes.append(code) }
        }
        #expect(codes == ["monitoring_unavailable"])
    }

    @Test("what the region monitor refuses reaches the stream and the journal")
    func regionErrors() async {
        let agent = await AgentFixture()
        let events = agent.hub.listen()
        var output = PipelineOutput()
        output.regionErrors = [
            .beyondCap(identifier: "A", cap: 20), .radiusInvalid(identifier: "B", radiusMeters: -1),
        ]
        await agent.tracking.settle(output)
        agent.hub.close()
        var codes: [String] = []
        for await event in events {
            if case .error(let code, _) = event { codes.append(code) }
        }
        #expect(codes == ["region_beyond_cap", "region_radius_invalid"])
        for error in output.regionErrors {
            #expect(agent.log.lines.contains { $0.message == "\(error)" })
        }
    }

    @Test("a fence that cannot be measured is left out; the journal has its defect, not its place")
    func unmeasurable() async {
        let ring = [place(48.27, 17.31), place(48.28, 17.32), place(48.27, 17.31)]
        let bad = Fence(id: "bad", name: "Gate", shape: .polygon(Polygon(rings: [ring])))
        let agent = await AgentFixture(fences: [AgentFixture.fence, bad])
        let lines = agent.log.lines.map(\.message)
        #expect(
            lines.contains { $0.hasPrefix("fence bad is left out: too_few_positions") }, "\(lines)")
        #expect(!lines.contains { $0.contains("17.3") || $0.contains("48.2") }, "\(lines)")
        #expect(await agent.tracking.fenceList().fences.map(\.id) == ["A"])
    }

    @Test("no fix is no error, but regions are unavailable")
    func noFix() async {
        let agent = await AgentFixture()
        await agent.drive([-300, -290])
        await agent.tracking.take(.health(SourceHealth(.noFix, "searching")))
        for _ in 0..<300 {
            agent.time.advance(milliseconds: 1000)
            await agent.tracking.tick()
        }
        #expect(await agent.tracking.status(upload: nil).checkIn.state == .monitoring)
        #expect(await agent.tracking.fenceList().unavailableReason == "no_precise_fix")
    }

    @Test("more fences around the device than can be monitored are told of, once")
    func overflow() async {
        let fences = (0..<22).map { index in
            Fence(
                id: "f\(index + 10)", name: "f",
                shape: .circle(center: place(10, 20), radiusMeters: 100 + Double(index)))
        }
        let agent = await AgentFixture(fences: fences)
        let events = agent.hub.listen()
        await agent.drive([0, 1, 0, 1, 0, 1], speed: 0)
        let list = await agent.tracking.fenceList()
        #expect(list.fences.count { $0.monitoring == "registered" } == 18)
        agent.hub.close()
        var told = 0
        for await event in events {
            if case .error("overlap_overflow", let message) = event {
                told += 1
                #expect(message.hasSuffix("f28, f29, f30, f31"))
            }
        }
        #expect(told == 1)
    }

    @Test(
        "a region that is too large is registered clamped, and said so; one of another shape anew")
    func regions() async throws {
        let large = Fence(
            id: "large", name: "l", shape: .circle(center: place(10, 20), radiusMeters: 99_000))
        let agent = await AgentFixture(fences: [large])
        await agent.drive([0, 1])
        #expect(await agent.tracking.fenceList().fences.first?.regionFit == "as_asked")
        var square = WireFence(id: "square", type: .polygon)
        square.geometry = .polygon([[[19, 9], [21, 9], [21, 11], [19, 11], [19, 9]]])
        _ = try await agent.tracking.addLocalFences([square])
        await agent.drive([2, 3])
        let fences = await agent.tracking.fenceList().fences
        let entry = try #require(fences.first { $0.id == "square" })
        #expect(entry.regionFit == "clamped" && entry.regionRadiusMeters == 100_000)
        #expect(agent.log.lines.contains { $0.message.contains("larger than can be monitored") })
        square.geometry = .polygon([
            [[19.99, 9.99], [20.01, 9.99], [20.01, 10.01], [19.99, 10.01], [19.99, 9.99]]
        ])
        _ = try await agent.tracking.addLocalFences([square])
        await agent.drive([4, 5])
        let renewed = await agent.tracking.fenceList().fences.first { $0.id == "square" }
        #expect(renewed?.regionFit == "as_asked")
        #expect(try #require(renewed?.regionRadiusMeters) < 2000)
    }

    @Test("the kill switch takes every region away at once, and can be lifted")
    func killSwitch() async throws {
        let agent = await AgentFixture(fences: nil, server: "http://127.0.0.1:1")
        await agent.drive([-300, -290])
        await agent.tracking.take(
            .fresh(try TrackingServiceTests.answer(fences: [AgentFixture.fence])),
            for: TrackingServiceTests.query)
        await agent.drive([-280, -270])
        #expect(await agent.tracking.fenceList().refreshRadiusMeters == 1000)
        let events = agent.hub.listen()
        await agent.tracking.conclude(UploadConclusion(configRevision: 2))
        await agent.drive([-260])
        await agent.tracking.take(
            .fresh(
                try TrackingServiceTests.answer(fences: [AgentFixture.fence], limit: 0, revision: 2)
            ),
            for: TrackingServiceTests.query)
        #expect(
            await agent.tracking.fenceList().fences.allSatisfy { $0.monitoring == "pool" })
        // The question that lifts it asks for at least one.
        let query = await agent.tracking.query(
            for: SyncRequest(
                reason: .push, position: place(10, 20), accuracyMeters: 5, pool: 100))
        #expect(query.limit == 1)
        agent.hub.close()
        var left: [String] = []
        for await event in events {
            if case .unregistered(let id) = event { left.append(id) }
        }
        #expect(left == ["A"])
    }

    @Test("an expired fence gives its region to the next one")
    func expired() async throws {
        var soon = AgentFixture.fence
        soon.expiresAt = UTCTime(millisecondsSince1970: 1_800_000_004_500)
        let others = (0..<18).map { index in
            Fence(
                id: "z\(index + 10)", name: "z",
                shape: .circle(center: place(10, 20.02 + Double(index) * 0.01), radiusMeters: 100))
        }
        let agent = await AgentFixture(fences: [soon] + others)
        await agent.drive([-400, -390, -380])
        var list = await agent.tracking.fenceList()
        #expect(list.fences.first { $0.id == "A" }?.monitoring == "registered")
        #expect(list.fences.first { $0.id == "z27" }?.monitoring == "pool")
        await agent.drive([-370, -360, -350, -340])
        list = await agent.tracking.fenceList()
        #expect(!list.fences.contains { $0.id == "A" })
        #expect(list.fences.first { $0.id == "z27" }?.monitoring == "registered")
    }
}
