import Campaigns
import Delivery
import Geofencing
import Synchronization
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("Notifications in the control loop")
struct NotificationTests {
    /// Keeps what it is told.
    final class Collector: NotificationSink {
        private let kept = Mutex<[ShownNotification]>([])

        func show(_ notification: ShownNotification) { kept.withLock { $0.append(notification) } }

        var shown: [ShownNotification] { kept.withLock { $0 } }
        var report: NotificationSinkReport { NotificationSinkReport(name: "collector") }
    }

    static let notices = FenceNotices(
        fenceID: "A", fenceName: "Alpha",
        campaigns: [
            Campaign(
                id: "c", version: 4, trigger: .enter, title: "Hello\nthere", body: "B",
                data: Array(#"{"n":1}"#.utf8))
        ])

    static func settings(_ sink: Collector) -> NotificationSettings {
        var settings = NotificationSettings(zones: FixtureZones.shared)
        settings.fixed.fences = [notices]
        settings.sinks = [sink]
        return settings
    }

    static func state(_ queue: QueueHandle) -> NotificationState? {
        let bytes = queue.use { queue in try? queue.state(.cooldowns) } ?? nil
        return bytes.flatMap { try? WireCoding.decode(NotificationState.self, from: $0) }
    }

    @Test(
        "the decision is on the event, on the wire, in the journal, on the stream and at the sink")
    func told() async throws {
        let sink = Collector()
        let agent = await AgentFixture(notifications: Self.settings(sink))
        let events = agent.hub.listen()
        await agent.visit()
        agent.hub.close()
        let enter = try #require(agent.queueReader.events.first)
        #expect(enter.type == "enter" && enter.notification.decision == "shown")
        #expect(enter.notification.campaignID?.text == "c")
        #expect(enter.notification.campaignVersion == 4)
        #expect(
            agent.queueReader.events.dropFirst().allSatisfy { $0.notification.decision == "none" })
        let shown = try #require(sink.shown.first)
        #expect(sink.shown.count == 1)
        #expect(shown.clientEventID == enter.clientEventID.text && shown.fenceName == "Alpha")
        #expect(shown.title == "Hello\nthere" && shown.data == .object(["n": .number(1)]))
        let text = String(decoding: try WireCoding.encode(shown), as: UTF8.self)
        #expect(!text.contains("lat") && !text.contains("lon"))
        let lines = agent.log.lines.map(\.message).filter { $0.contains("notification") }
        #expect(lines == ["notification of event 1: campaign c, fence A: Hello there"])
        var kinds: [String] = []
        for await event in events {
            switch event {
            case .event: kinds.append("event")
            case .notification: kinds.append("notification")
            default: break
            }
        }
        #expect(kinds.prefix(2) == ["event", "notification"])
        #expect(kinds.count { $0 == "notification" } == 1)
    }

    @Test("a claim is in the transaction of its event, never in a later one")
    func sameTransaction() async {
        let queue = QueueHandle()
        let agent = await AgentFixture(queue: queue, notifications: Self.settings(Collector()))
        let unclaimed = Mutex(0)
        // At the start of every commit: what is shown already is claimed already.
        let checkpoints = Mutex(0)
        queue.onCommit.withLock {
            $0 = {
                checkpoints.withLock { $0 += 1 }
                let shown = queue.events.count { $0.notification.decision == "shown" }
                let claims = Self.state(queue)?.claims.count ?? 0
                if claims < shown { unclaimed.withLock { $0 += 1 } }
            }
        }
        await agent.visit()
        await agent.tracking.close()
        queue.onCommit.withLock { $0 = nil }
        #expect(checkpoints.withLock { $0 } > 3)
        #expect(unclaimed.withLock { $0 } == 0)
        #expect(Self.state(queue)?.claims.count == 1)
    }

    @Test("an event that cannot be written does not part another one from its claim")
    func unwritable() async {
        let queue = QueueHandle()
        let agent = await AgentFixture(queue: queue, notifications: Self.settings(Collector()))
        queue.isBroken.withLock { $0 = true }
        await agent.visit()
        queue.refuses.withLock { $0 = .dwell }
        queue.isBroken.withLock { $0 = false }
        let unclaimed = Mutex(0)
        queue.onCommit.withLock {
            $0 = {
                let shown = queue.events.count { $0.notification.decision == "shown" }
                let claims = Self.state(queue)?.claims.count ?? 0
                if claims < shown { unclaimed.withLock { $0 += 1 } }
            }
        }
        await agent.tracking.tick()
        queue.onCommit.withLock { $0 = nil }
        #expect(queue.kinds.first == .enter && !queue.kinds.contains(.dwell))
        #expect(unclaimed.withLock { $0 } == 0)
    }

    @Test("a restart neither repeats a notification nor forgets that it was shown")
    func restart() async {
        let queue = QueueHandle()
        let first = await AgentFixture(queue: queue, notifications: Self.settings(Collector()))
        await first.visit()
        let sink = Collector()
        // The process was killed: nothing was closed.
        let next = await AgentFixture(
            queue: queue, clock: first.time, notifications: Self.settings(sink))
        await next.visit()
        #expect(sink.shown.isEmpty)
        let enters = queue.events.filter { $0.type == "enter" }
        #expect(enters.map(\.notification.decision) == ["shown", "suppressed"])
        #expect(enters.last?.notification.reason == "cooldown")
    }

    @Test("nobody is told of what is not on disk")
    func committedFirst() async {
        let sink = Collector()
        let agent = await AgentFixture(notifications: Self.settings(sink))
        agent.queueReader.isBroken.withLock { $0 = true }
        await agent.visit()
        #expect(sink.shown.isEmpty)
        agent.queueReader.isBroken.withLock { $0 = false }
        await agent.tracking.tick()
        #expect(sink.shown.count == 1)
        #expect(Self.state(agent.queueReader)?.claims.count == 1)
    }

    @Test("a state that cannot be read is told, and cooldowns begin anew")
    func damaged() async {
        let queue = QueueHandle()
        _ = queue.use { try? $0.commit([], state: StateUpdate(values: [.cooldowns: [1, 2]])) }
        let sink = Collector()
        let agent = await AgentFixture(queue: queue, notifications: Self.settings(sink))
        #expect(agent.log.lines.contains { $0.level == .error && $0.message.contains("shown") })
        await agent.visit()
        #expect(sink.shown.count == 1)
    }

    // MARK: - Where campaigns come from

    static let answer = """
        {"sync_id":"s","server_time":"2027-01-15T08:00:00Z","anchor":{"lat":10,"lon":20},
        "refresh_after_m":1000,"refresh_after_s":21600,"coverage_radius_m":null,"truncated":false,
        "limit":18,"config":{"revision":1,"cooldown_hours":2,"quiet_hours":null},
        "fences":[{"id":"A","name":"Alpha","type":"circle","center":{"lat":10,"lon":20},
        "radius_m":100,"dwell_s":20,"campaigns":[{"id":"c","version":2,"trigger":"enter",
        "title":"Hello"},{"id":"broken","trigger":"leave","title":"x"}]}]}
        """

    static func answer(_ text: String) throws -> FenceAnswer {
        let bytes = Array(text.utf8)
        return try WireCoding.decode(NearestAnswer.self, from: bytes)
            .fenceAnswer(document: bytes, entityTag: "\"t\"")
    }

    static func server(_ queue: QueueHandle, _ sink: Collector) async -> AgentFixture {
        var settings = settings(sink)
        settings.fixed = NoticeSet()
        return await AgentFixture(
            queue: queue, fences: nil, server: "http://localhost", notifications: settings)
    }

    @Test("campaigns come with the server's fences, and from the cache after a restart offline")
    func server() async throws {
        let queue = QueueHandle()
        let sink = Collector()
        let agent = await Self.server(queue, sink)
        let query = FenceQuery(
            position: place(10, 20), accuracyMeters: nil, limit: 18, pool: 100, entityTag: nil)
        await agent.tracking.take(.fresh(try Self.answer(Self.answer)), for: query)
        await agent.visit()
        #expect(sink.shown.map(\.campaignID) == ["c"])
        #expect(
            agent.log.lines.contains {
                $0.level == .warning && $0.message.contains("fence A /campaigns/1/trigger")
            })
        let status = await agent.tracking.status(upload: nil).notifications
        #expect(status.campaigns == 1 && status.shown == 1 && status.problems.count == 1)
        // The configuration's cooldown of two hours.
        let later = Collector()
        let next = await Self.server(queue, later)
        next.time.advance(milliseconds: agent.time.uptime.milliseconds + 7_200_000)
        await next.visit()
        #expect(later.shown.count == 1)
    }

    @Test("hours that cannot be read suppress, and the fence goes on being monitored")
    func unreadableHours() async throws {
        let sink = Collector()
        let agent = await Self.server(QueueHandle(), sink)
        let query = FenceQuery(
            position: place(10, 20), accuracyMeters: nil, limit: 18, pool: 100, entityTag: nil)
        let text = Self.answer.split(separator: #""quiet_hours":null"#)
            .joined(separator: #""quiet_hours":{"start":"09:00","end":"09:00"}"#)
        await agent.tracking.take(.fresh(try Self.answer(text)), for: query)
        await agent.visit()
        #expect(sink.shown.isEmpty)
        #expect(agent.queueReader.events.first?.notification.reason == "unreadable_rules")
    }

    // MARK: - The server's word

    static func conclude(
        _ agent: AgentFixture, _ verdict: NotificationVerdict
    ) async -> OutgoingBatch? {
        let plan = BatchPlan(
            batchID: "b", selection: .oldest(limit: 100, maxBytes: 1_000_000, excluding: []))
        guard let batch = await agent.tracking.batch(for: plan) else { return nil }
        var conclusion = UploadConclusion(
            settlements: batch.events.map { Settlement(key: $0.key, fate: .acknowledged) })
        for event in batch.events { conclusion.verdicts[event.key] = verdict }
        await agent.tracking.conclude(conclusion, of: batch)
        return batch
    }

    @Test("a verdict that agrees is no news")
    func agreement() async throws {
        let agent = await AgentFixture(notifications: Self.settings(Collector()))
        await agent.drive(stride(from: -300.0, through: 0, by: 10).map { $0 })
        let before = Self.state(agent.queueReader)
        #expect(await Self.conclude(agent, .allowed)?.events.count == 1)
        #expect(Self.state(agent.queueReader) == before)
        #expect(await agent.tracking.status(upload: nil).notifications.disagreements == 0)
    }

    @Test("a verdict that differs is written with the receipt, listed, and kept over a restart")
    func disagreement() async throws {
        let queue = QueueHandle()
        let agent = await AgentFixture(queue: queue, notifications: Self.settings(Collector()))
        await agent.drive(stride(from: -300.0, through: 0, by: 10).map { $0 })
        _ = await Self.conclude(agent, .quietHours)
        let stored = try #require(Self.state(queue))
        #expect(stored.claims.isEmpty, "the server has claimed nothing")
        #expect(stored.disagreements.map(\.verdict) == ["quiet_hours"])
        let status = await agent.tracking.status(upload: nil).notifications
        #expect(status.disagreements == 1 && status.lastDisagreements.map(\.sequence) == [1])
        let next = await AgentFixture(
            queue: queue, clock: agent.time, notifications: Self.settings(Collector()))
        var reader = StoredEvents(next.tracking)
        reader.start(after: 0)
        let first = try #require(try await reader.next(limit: 10).first)
        #expect(first.serverNotificationVerdict == "quiet_hours")
    }
}
