import Delivery
import TestSupport
import Testing
import WireFormat

@testable import GeofenceAgent
@testable import Geofencing

@Suite("A fence that the last answer need not have named, over a restart")
struct KeptFenceTests {
    private let handle = QueueHandle()
    private static let url = "http://127.0.0.1:1"

    /// Inside of a fence that was known before, and that an answer for 150 m around a place 190 m
    /// outside of it does not name.
    private func inside(_ snapshots: MemorySnapshots?) async throws -> AgentFixture {
        let agent = await AgentFixture(
            queue: handle, fences: nil, server: Self.url, snapshots: snapshots)
        await agent.drive([-900, -890, -880])
        await take([AgentFixture.fence], nil, agent)
        await agent.drive([-310, -300])
        await agent.tracking.conclude(UploadConclusion(configRevision: 2))
        await agent.drive(stride(from: -290.0, through: 0, by: 10).map { $0 })
        #expect(handle.kinds == [.enter])
        await take([], 150, agent)
        #expect(handle.kinds == [.enter])
        return agent
    }

    private func take(_ fences: [Fence], _ radius: Double?, _ agent: AgentFixture) async {
        do {
            let answer = try TrackingServiceTests.answer(
                fences: fences, radius: radius, syncID: "\(fences.count) \(radius ?? -1)")
            await agent.tracking.take(.fresh(answer), for: TrackingServiceTests.query)
        } catch {
            Issue.record("\(error)")
        }
    }

    private func next(
        _ agent: AgentFixture, _ snapshots: MemorySnapshots?
    ) async -> AgentFixture {
        let next = await AgentFixture(
            queue: handle, fences: nil, server: Self.url, clock: agent.time,
            snapshots: snapshots)
        await next.tracking.take(.opened)
        return next
    }

    private var kept: [UInt8]? { handle.use { try? $0.state(.keptFences) } ?? nil }

    @Test(
        "goes on, and ends when an answer for its ground leaves it out", arguments: [true, false])
    func goesOn(hasSnapshots: Bool) async throws {
        let snapshots = hasSnapshots ? MemorySnapshots() : nil
        let first = try await inside(snapshots)
        #expect(kept != nil)
        let second = await next(first, snapshots)
        #expect(handle.kinds == [.enter], "a restart ends no visit")
        let continued = second.log.lines.contains { $0.message.contains("goes on where") }
        #expect(continued == hasSnapshots)
        await second.drive([0, 0, 0, 0], speed: 0)
        // Asked from inside, so that only an answer for no ground at all need not name it.
        await take([], 0, second)
        let third = await next(second, snapshots)
        await third.drive([0, 0, 0], speed: 0)
        #expect(handle.kinds.filter { $0 == .exit } == [])
        await take([], nil, third)
        let last = try #require(handle.events.last { $0.type == "exit" })
        #expect(last.reason == "fence_deleted")
        #expect(last.fenceID?.text == "A")
        #expect(kept == nil)
        let count = handle.kinds.count
        let fourth = await next(third, snapshots)
        await fourth.drive([0, 0, 0], speed: 0)
        #expect(handle.kinds.count == count)
        #expect(await fourth.tracking.pipeline.tracker.poolCount == 0)
    }

    @Test("is left by the device, as before the restart", arguments: [true, false])
    func left(hasSnapshots: Bool) async throws {
        let snapshots = hasSnapshots ? MemorySnapshots() : nil
        let second = await next(try await inside(snapshots), snapshots)
        await second.drive(stride(from: 10.0, through: 300, by: 10).map { $0 })
        let exits = handle.events.filter { $0.type == "exit" }
        #expect(exits.count == 1)
        #expect(exits.first?.reason == nil)
    }

    @Test("is the same set to a process that goes on: nothing in it came new")
    func sameSet() async throws {
        let snapshots = MemorySnapshots()
        let first = try await inside(snapshots)
        let before = await first.tracking.pipeline.tracker.poolSignature
        let second = await next(first, snapshots)
        #expect(await second.tracking.pipeline.tracker.poolSignature == before)
    }

    @Test("is nothing beside another answer, and neither is what cannot be read")
    func foreign() async throws {
        let first = try await inside(nil)
        let document = try WireCoding.encode(KeptFences([AgentFixture.fence], syncID: "other"))
        for bytes in [document, Array("{".utf8)] {
            _ = try handle.use {
                try $0.commit([], state: StateUpdate(values: [.keptFences: bytes]))
            }
            let agent = await next(first, nil)
            #expect(await agent.tracking.pipeline.tracker.poolCount == 0)
        }
    }
}
