import Delivery
import Geofencing
import Positioning
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("The control loop")
struct TrackingServiceTests {
    static let wholeVisit: [EventKind] = [.enter, .dwell, .visitStarted, .exit, .visitEnded]

    @Test("a drive through the fence with a stop is one visit")
    func visit() async {
        let agent = await AgentFixture()
        await agent.visit()
        #expect(agent.queueReader.kinds == Self.wholeVisit)
    }

    @Test("a visit starts with the enter, not with the dwell that makes it, and ends with the exit")
    func visitTimes() async throws {
        let agent = await AgentFixture()
        await agent.visit()
        let queued = try agent.queueReader.use { try $0.events(after: 0, limit: 10) }
        let events = try queued.map { try WireCoding.decode(WireEvent.self, from: $0.payload) }
        func occurred(_ kind: EventKind) -> UTCTime? {
            events.first { $0.type == kind.rawValue }?.occurredAt?.time
        }
        let entered = try #require(occurred(.enter))
        let left = try #require(occurred(.exit))
        #expect(occurred(.visitStarted) == entered)
        #expect(occurred(.dwell) != entered)
        #expect(occurred(.visitEnded) == left)
        let ended = try #require(events.first { $0.type == EventKind.visitEnded.rawValue })
        #expect(abs(try #require(ended.durationSeconds) - left.seconds(since: entered)) < 0.002)
    }

    @Test("what is published was committed before")
    func committedFirst() async {
        let agent = await AgentFixture()
        let events = agent.hub.listen()
        agent.queueReader.isBroken.withLock { $0 = true }
        await agent.visit()
        agent.hub.close()
        var published = 0
        for await event in events {
            if case .event = event { published += 1 }
        }
        #expect(published == 0, "events were told although no commit succeeded")
        #expect(agent.log.lines.contains { $0.level == .error })
    }

    @Test(
        "a restart at any moment of a drive repeats nothing and loses nothing",
        arguments: Array(stride(from: 1, to: 100, by: 3)))
    func restart(second: Int) async {
        let handle = QueueHandle()
        let way =
            stride(from: -300.0, through: 0, by: 10).map { ($0, 10.0) }
            + [Double](repeating: 0, count: 40).map { ($0, 0.0) }
            + stride(from: 0.0, through: 300, by: 10).map { ($0, 10.0) }
        let first = await AgentFixture(queue: handle)
        for (east, speed) in way.prefix(second) { await first.drive([east], speed: speed) }
        // Killed: nothing is closed. The next one goes on with the queue that it left.
        let next = await AgentFixture(queue: handle)
        next.time.advance(milliseconds: Int64(second) * 1000)
        for (east, speed) in way.dropFirst(second) { await next.drive([east], speed: speed) }
        #expect(handle.kinds == Self.wholeVisit, "killed after \(second) s")
    }

    @Test(
        "a departure whose confirmation a restart interrupts keeps the moment of its crossing",
        arguments: [120.0, 140])
    func interruptedDeparture(lastBeforeKill: Double) async throws {
        let handle = QueueHandle()
        let way = stride(from: -300.0, through: 300, by: 20).map { $0 }
        let first = await AgentFixture(queue: handle)
        await first.drive(way.filter { $0 <= lastBeforeKill }, speed: 20)
        try #require(handle.kinds == [.enter])
        let next = await AgentFixture(queue: handle)
        next.time.advance(
            milliseconds: first.time.uptime.milliseconds - next.time.uptime.milliseconds)
        await next.drive(way.filter { $0 > lastBeforeKill }, speed: 20)
        let events = handle.events
        try #require(events.map(\.type) == ["enter", "exit"])
        let entered = try #require(events[0].occurredAt?.time)
        let left = try #require(events[1].occurredAt?.time)
        // 200 m at 20 m/s.
        #expect(abs(left.seconds(since: entered) - 10) < 0.2)
        #expect(try #require(events[1].durationSeconds) == left.seconds(since: entered))
    }

    @Test("a trusted time ties the boot to UTC, once")
    func anchor() async {
        let agent = await AgentFixture()
        await agent.drive([-300, -290, -280])
        let anchors = agent.queueReader.use { $0.clockAnchors }
        #expect(anchors.count == 1)
        #expect(anchors.first?.bootID == agent.time.bootID)
        #expect(anchors.first?.utc(at: agent.time.uptime) == agent.time.wallClock.time)
    }

    @Test("fences from the cache are monitored before there is a network")
    func cache() async throws {
        let handle = QueueHandle()
        let online = await AgentFixture(
            queue: handle, fences: nil, server: "http://127.0.0.1:1")
        let answer = try Self.answer(fences: [AgentFixture.fence])
        await online.drive([-900, -890, -880])
        await online.tracking.take(.fresh(answer), for: Self.query)
        let offline = await AgentFixture(
            queue: handle, fences: nil, server: "http://127.0.0.1:1")
        offline.time.advance(milliseconds: 10_000)
        await offline.visit()
        #expect(handle.kinds == Self.wholeVisit)
        let status = await offline.tracking.status(upload: nil)
        #expect(status.fences.source == "cache")
        #expect(status.fences.known == 1)
    }

    @Test("a fence limit of 0 ends a visit and stops monitoring")
    func killSwitch() async throws {
        let agent = await AgentFixture(fences: nil, server: "http://127.0.0.1:1")
        await agent.drive([-300, -290, -280])
        await agent.tracking.take(
            .fresh(try Self.answer(fences: [AgentFixture.fence])), for: Self.query)
        await agent.drive(stride(from: -270.0, through: 0, by: 10).map { $0 })
        #expect(agent.queueReader.kinds == [.enter])
        // The guard must be waiting for an answer to take one.
        await agent.tracking.conclude(UploadConclusion(configRevision: 2))
        await agent.drive([0, 0])
        await agent.tracking.take(
            .fresh(try Self.answer(fences: [AgentFixture.fence], limit: 0, revision: 2)),
            for: Self.query)
        #expect(agent.queueReader.kinds == [.enter, .exit])
        await agent.visit()
        #expect(agent.queueReader.kinds == [.enter, .exit])
    }

    private static let query = FenceQuery(
        position: AgentFixture.fence.shape.center, accuracyMeters: 5, limit: 18, pool: 100,
        entityTag: nil)

    private static func answer(
        fences: [Fence], limit: Int = 18, revision: Int = 1
    ) throws -> FenceAnswer {
        var config = WireConfig()
        config.revision = revision
        config.fenceLimit = limit
        let document = NearestAnswer(
            syncID: "s", serverTime: WireTime(UTCTime(millisecondsSince1970: 0)),
            anchor: WireCoordinate(AgentFixture.fence.shape.center), refreshAfterMeters: 1000,
            refreshAfterSeconds: 21_600, coverageRadiusMeters: nil, truncated: false, limit: limit,
            fences: fences.map(WireFence.init), config: config)
        let bytes = try WireCoding.encode(document)
        return try document.fenceAnswer(document: bytes, entityTag: "W/\"1\"")
    }
}
