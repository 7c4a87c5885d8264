import Delivery
import TestSupport
import Testing
import Timekeeping

/// Keys are those of one queue; a replaced file gives them to other events.
@Suite("A queue that begins another epoch")
struct EpochChangeTests {
    private static let next = "fedcba9876543210fedcba9876543210"

    /// As `Bench.exchange`, with the queue of another epoch.
    private func batch(
        of bench: inout Bench, from queue: InMemoryEventQueue
    ) throws -> OutgoingBatch? {
        bench.planner.useKeys(ofEpoch: queue.epoch)
        guard
            case .send(let plan) = bench.planner.step(
                at: bench.now, pendingCount: queue.counts.pending)
        else { return nil }
        let events = try queue.pending(plan.selection)
        guard !events.isEmpty else {
            bench.planner.foundNothing(at: bench.now)
            return nil
        }
        return OutgoingBatch(
            batchID: plan.batchID, events: events, counts: queue.counts, clockAnchors: [])
    }

    /// A queue of the next epoch with as many events as are in the first.
    private func successor(_ count: Int) throws -> InMemoryEventQueue {
        let queue = InMemoryEventQueue(epoch: Self.next)
        _ = try queue.commit(SampleEvents.drafts(count), state: .none)
        return queue
    }

    @Test("sends at once what has the keys of events that the server put off for a day")
    func deferred() throws {
        var bench = try Bench(events: 50)
        bench.planner.useKeys(ofEpoch: bench.queue.epoch)
        _ = try bench.exchange { receipt($0) { _ in .deferred(retryAfterSeconds: 86_400) } }
        bench.advance(10)
        #expect(try batch(of: &bench, from: bench.queue) == nil, "not before its time")
        let next = try successor(50)
        #expect(try batch(of: &bench, from: next)?.events.count == 50)
    }

    @Test("sends at once what has the keys of an event that was refused alone")
    func suspect() throws {
        var bench = try Bench(events: 1)
        bench.planner.useKeys(ofEpoch: bench.queue.epoch)
        _ = try bench.exchange { _ in .refused(Refusal(status: 422)) }
        #expect(try batch(of: &bench, from: bench.queue) == nil, "held")
        let next = try successor(1)
        #expect(try batch(of: &bench, from: next)?.events.map(\.position.epoch) == [Self.next])
    }

    @Test("searches no offender among its events, and has no more requests in the hour for it")
    func bisection() throws {
        var bench = try Bench(events: 400, policy: UploadPolicy(maxBatch: 400, intervalSeconds: 0))
        bench.planner.useKeys(ofEpoch: bench.queue.epoch)
        while try bench.exchange({ _ in .refused(Refusal(status: 422)) }) {}
        let spent = bench.requests.count
        #expect((200...202).contains(spent))
        bench.advance(300)
        let next = try successor(400)
        let whole = try #require(try batch(of: &bench, from: next))
        #expect(whole.events.count == 400, "an ordinary batch")
        _ = bench.planner.finished(
            .refused(Refusal(status: 422)), of: whole, at: bench.now, random: 0.5)
        bench.advance(300)
        #expect(try batch(of: &bench, from: next) == nil, "the hour is not over")
    }

    @Test("that goes on in the same epoch keeps what was put off")
    func same() throws {
        var bench = try Bench(events: 5)
        for _ in 0..<3 {
            bench.planner.useKeys(ofEpoch: bench.queue.epoch)
            _ = try bench.exchange { receipt($0) { _ in .deferred(retryAfterSeconds: 600) } }
        }
        #expect(bench.requests.count == 1)
    }
}
