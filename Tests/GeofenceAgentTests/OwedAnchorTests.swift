import Delivery
import Geodesy
import Positioning
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import GeofenceAgent

/// Counts what happens on other threads.
private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}

@Suite("A time that becomes known after the events were received")
struct OwedAnchorTests {
    /// An agent in the same boot as the one before, some minutes later; no clock is right.
    private func agent(_ handle: QueueHandle, after uptime: Uptime? = nil) async -> AgentFixture {
        let agent = await AgentFixture(queue: handle, isClockSynchronised: false)
        if let uptime {
            agent.time.advance(
                milliseconds: uptime.milliseconds - agent.time.uptime.milliseconds + 60_000)
        }
        return agent
    }

    /// Into the fence with a receiver that does not know the time.
    private func arrive(_ agent: AgentFixture) async {
        for meters in stride(from: -300.0, through: 0, by: 10) {
            agent.time.advance(milliseconds: 1000)
            await agent.tracking.take(
                .fix(
                    Fix(
                        coordinate: Coordinate(latitude: 10, longitude: 20 + meters / 109_639),
                        uptime: agent.time.uptime,
                        horizontalAccuracy: HorizontalAccuracy(meters: 5, provenance: .receiver),
                        speed: 10, dimension: .threeDimensional, quality: .autonomous,
                        source: .recording)))
        }
    }

    private let all = BatchSelection.oldest(limit: 100, maxBytes: .max, excluding: [])

    /// Everything pending has its receipt; the answer is the anchors that went along.
    private func upload(_ agent: AgentFixture) async throws -> [ClockAnchor] {
        let batch = try #require(
            await agent.tracking.batch(for: BatchPlan(batchID: "b", selection: all)))
        let conclusion = UploadConclusion(
            settlements: batch.events.map { Settlement(key: $0.key, fate: .acknowledged) },
            hasAnchors: true)
        #expect(await agent.tracking.conclude(conclusion, of: batch))
        return batch.clockAnchors
    }

    @Test("makes an anchor owed until it has arrived, also over restarts")
    func restart() async throws {
        let handle = QueueHandle()
        let first = await agent(handle)
        await arrive(first)
        #expect(handle.events.map(\.occurredAt) == [nil])
        #expect(try await upload(first).isEmpty)
        #expect(await !first.tracking.owesAnchors(), "there is none yet")

        let second = await agent(handle, after: first.time.uptime)
        #expect(await !second.tracking.owesAnchors())
        await second.drive([0, 0, 0], speed: 0)
        #expect(await second.tracking.owesAnchors())
        let batch = await second.tracking.anchorBatch("b-2")
        #expect(batch.events.isEmpty && batch.clockAnchors.map(\.source) == [.gnss])

        // Killed before it was sent.
        let third = await agent(handle, after: second.time.uptime)
        #expect(await third.tracking.owesAnchors())
        await third.tracking.conclude(UploadConclusion(hasAnchors: true), of: batch)
        #expect(await !third.tracking.owesAnchors())
        await third.tracking.close()

        let fourth = await agent(handle, after: third.time.uptime)
        #expect(await !fourth.tracking.owesAnchors(), "what has arrived is remembered, too")
    }

    @Test("makes nothing owed where the anchor went with the events, or all events have a time")
    func notOwed() async throws {
        let timed = await agent(QueueHandle())
        await timed.drive(stride(from: -300.0, through: 0, by: 10).map { $0 })
        #expect(try await upload(timed).count == 1)
        #expect(await !timed.tracking.owesAnchors())

        let late = await agent(QueueHandle())
        await arrive(late)
        await late.drive([0, 0, 0], speed: 0)
        #expect(try await upload(late).count == 1)
        #expect(await !late.tracking.owesAnchors())
    }

    @Test("is owed still when the request failed or was refused")
    func failure() async throws {
        let agent = await agent(QueueHandle())
        await arrive(agent)
        _ = try await upload(agent)
        await agent.drive([0, 0, 0], speed: 0)
        let batch = await agent.tracking.anchorBatch("b-2")
        await agent.tracking.conclude(UploadConclusion(), of: batch)
        #expect(await agent.tracking.owesAnchors())
    }

    @Test("costs no commit of its own but that of the anchor")
    func commits() async throws {
        let handle = QueueHandle()
        let agent = await agent(handle)
        await arrive(agent)
        _ = try await upload(agent)
        await agent.drive([0, 0, 0], speed: 0)
        let counter = Counter()
        handle.onCommit.withLock { $0 = { counter.add() } }
        let batch = await agent.tracking.anchorBatch("b-2")
        await agent.tracking.conclude(UploadConclusion(hasAnchors: true), of: batch)
        #expect(counter.count == 0)
        #expect(await !agent.tracking.owesAnchors())
    }
}
