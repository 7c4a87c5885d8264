import Delivery
import Geofencing
import Positioning
import TestSupport
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

    @Test("what the storage does not take waits for it, with its order and the clock's anchor")
    func waiting() async {
        let agent = await AgentFixture()
        agent.queueReader.isBroken.withLock { $0 = true }
        await agent.visit()
        #expect(agent.queueReader.kinds.isEmpty)
        agent.queueReader.isBroken.withLock { $0 = false }
        await agent.tracking.tick()
        #expect(agent.queueReader.kinds == Self.wholeVisit)
        #expect(agent.queueReader.use { $0.clockAnchors }.count == 1)
        #expect(agent.log.lines.count { $0.level == .error } == 1, "one line for one trouble")
        let next = await AgentFixture(queue: agent.queueReader)
        next.time.advance(milliseconds: agent.time.uptime.milliseconds)
        await next.visit()
        #expect(agent.queueReader.kinds == Self.wholeVisit + Self.wholeVisit)
    }

    @Test("beyond its bound the waiting work gives way by value, and the server is told how much")
    func waitingIsBounded() async throws {
        var work = UncommittedWork()
        let kinds: [EventKind] = [.enter, .dwell, .visitStarted, .exit, .visitEnded, .pass]
        for second in 0..<600 {
            work.add(
                [SampleEvents.draft(kinds[second % 6], second: Int64(second))],
                values: [.pipeline: [UInt8(second % 256)]], anchor: nil)
        }
        #expect(work.drafts.count == UncommittedWork.draftLimit)
        #expect(work.lost.values.reduce(0, +) == 600 - 256)
        #expect(work.lost[.pass] == 100)
        #expect(work.lost[.visitStarted] == nil && work.lost[.visitEnded] == nil)
        #expect(work.update.values == [.pipeline: [UInt8(599 % 256)]])

        let agent = await AgentFixture()
        agent.queueReader.isBroken.withLock { $0 = true }
        for _ in 0..<60 {
            await agent.visit()
            agent.time.advance(milliseconds: 200_000)
        }
        agent.queueReader.isBroken.withLock { $0 = false }
        await agent.tracking.tick()
        let events = agent.queueReader.events
        let told = events.compactMap(\.evicted).reduce(0) { $0 + $1.count }
        #expect(Int64(events.count { $0.evicted == nil }) + told == 60 * 5)
        #expect(events.count { $0.type == "visit_started" } == 60)
        #expect(events.count { $0.type == "visit_ended" } == 60)
    }

    @Test("an event that cannot be written does not hold back the others")
    func unwritable() async {
        let agent = await AgentFixture()
        agent.queueReader.refuses.withLock { $0 = .dwell }
        await agent.visit()
        await agent.tracking.tick()
        #expect(
            agent.queueReader.kinds
                == [.enter, .visitStarted, .queueEvicted, .exit, .visitEnded])
    }

    @Test("certificates are judged at a time that only grows from what is known")
    func certificateTime() {
        let time = CertificateTime(floor: CalendarDate(daysSince1970: 20_000))
        func at(_ days: Int64) -> UTCTime {
            UTCTime(date: CalendarDate(daysSince1970: days), millisecondsOfDay: 0)
        }
        func now(_ wall: Int64, _ isSynchronised: Bool) -> (time: UTCTime, isTrusted: Bool) {
            time.now(
                WallClockReading(time: at(wall), isSynchronised: isSynchronised),
                at: Uptime(milliseconds: 60_000))
        }
        // A machine without a battery starts in 1970.
        #expect(now(0, false) == (at(20_000), false))
        #expect(now(20_100, false) == (at(20_100), false))
        #expect(now(20_100, true) == (at(20_100), true))
        time.restore(at(20_200))
        #expect(now(0, false) == (at(20_200), false))
        time.learn(TrustedTime(time: at(20_300), uptime: Uptime(milliseconds: 60_000)))
        #expect(now(0, false) == (at(20_300), true))
        // Ten years ahead, and nobody vouches for it.
        #expect(now(24_000, false) == (at(20_300), true))
    }

    @Test("the receiver's trusted time reaches the check of certificates, also over a restart")
    func certificateTimeIsLearnt() async {
        let agent = await AgentFixture()
        await agent.drive([-300, -290, -280])
        let wrong = WallClockReading(
            time: UTCTime(millisecondsSince1970: 0), isSynchronised: false)
        let learnt = await agent.tracking.settings.certificateTime.now(wrong, at: agent.time.uptime)
        #expect(learnt == (agent.time.wallClock.time, true))
        let next = await AgentFixture(queue: agent.queueReader)
        let restored = await next.tracking.settings.certificateTime.now(
            wrong, at: agent.time.uptime)
        #expect(restored == (agent.time.wallClock.time, true))
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

    static let query = FenceQuery(
        position: AgentFixture.fence.shape.center, accuracyMeters: 5, limit: 18, pool: 100,
        entityTag: nil)

    static func answer(
        fences: [Fence], limit: Int = 18, revision: Int = 1, radius: Double? = nil,
        syncID: String = "s"
    ) throws -> FenceAnswer {
        var config = WireConfig()
        config.revision = revision
        config.fenceLimit = limit
        let document = NearestAnswer(
            syncID: syncID, serverTime: WireTime(UTCTime(millisecondsSince1970: 0)),
            anchor: WireCoordinate(AgentFixture.fence.shape.center), refreshAfterMeters: 1000,
            refreshAfterSeconds: 21_600, coverageRadiusMeters: radius, truncated: false,
            limit: limit,
            fences: fences.map(WireFence.init), config: config)
        let bytes = try WireCoding.encode(document)
        return try document.fenceAnswer(document: bytes, entityTag: "W/\"1\"")
    }
}
