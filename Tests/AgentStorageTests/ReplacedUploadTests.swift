import AgentStorage
import Delivery
import Foundation
import TestSupport
import Testing
import Timekeeping

@Suite("Uploads from a queue that is replaced or moves into memory")
struct ReplacedUploadTests {
    let directory: TemporaryDirectory
    var planner = UploadPlanner(policy: UploadPolicy(intervalSeconds: 0), batchPrefix: "t")
    var now = Uptime(milliseconds: 1_000_000)

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// The events of the next request; empty: there is none.
    private mutating func next(of queue: SQLiteEventQueue) throws -> OutgoingBatch? {
        planner.useKeys(ofEpoch: queue.epoch)
        guard case .send(let plan) = planner.step(at: now, pendingCount: queue.counts.pending)
        else { return nil }
        let events = try queue.pending(plan.selection)
        guard !events.isEmpty else {
            planner.foundNothing(at: now)
            return nil
        }
        return OutgoingBatch(
            batchID: plan.batchID, events: events, counts: queue.counts, clockAnchors: [])
    }

    /// The server wants none of the events that wait for a day.
    private mutating func deferAll(of queue: SQLiteEventQueue) throws {
        let batch = try #require(try next(of: queue))
        let results = batch.events.map {
            ($0.clientEventID, Receipt.Result(.deferred(retryAfterSeconds: 86_400)))
        }
        let receipt = Receipt(results: Dictionary(uniqueKeysWithValues: results))
        _ = planner.finished(.receipt(receipt), of: batch, at: now, random: 0.5)
        now = now.advanced(byMilliseconds: 5000)
        #expect(try next(of: queue) == nil)
        now = now.advanced(byMilliseconds: 61_000)
    }

    @Test("do not wait for what was said of the keys in the epoch before")
    mutating func damaged() throws {
        let old = try openQueue(in: directory)
        _ = try old.commit(SampleEvents.drafts(40), state: .none)
        try deferAll(of: old)
        let epoch = old.epoch
        old.close()
        // Nothing of it can be read.
        try Data(repeating: 0x5A, count: 65_536).write(
            to: URL(fileURLWithPath: directory.file("state/queue.db")))
        let queue = try openQueue(in: directory)
        #expect(queue.epoch != epoch)
        let new = try queue.commit(SampleEvents.drafts(10), state: .none)
        let batch = try #require(try next(of: queue))
        // And what tells of the damage.
        #expect(batch.events.map(\.clientEventID).suffix(10) == new.map(\.clientEventID)[...])
        #expect(batch.events.count == 11)
    }

    @Test(
        "do not wait in memory for what was said of keys on the disk, nor back there",
        .enabled(if: SmallFileSystem.isPossible, "mounting is not allowed here"))
    mutating func moved() throws {
        let disk = try SmallFileSystem(megabytes: 2)
        let clock = SettableTimekeeper()
        let queue = try openQueue(in: disk.directory, timekeeper: clock)
        _ = try queue.commit(SampleEvents.drafts(40), state: .none)
        try deferAll(of: queue)
        let epoch = queue.epoch
        try disk.fill(leaving: 0)
        for _ in 0..<400 where queue.health == .durable {
            _ = try queue.commit(SampleEvents.drafts(20), state: .none)
        }
        #expect(queue.health != .durable && queue.epoch != epoch)
        // From memory the oldest go first, those that were deferred on disk included.
        let oldest = try queue.pending(.oldest(limit: 5, maxBytes: .max, excluding: []))
        let offered = try #require(try next(of: queue))
        #expect(offered.events.prefix(5) == oldest[...])
        let results = offered.events.map {
            ($0.clientEventID, Receipt.Result(.deferred(retryAfterSeconds: 86_400)))
        }
        let receipt = Receipt(results: Dictionary(uniqueKeysWithValues: results))
        _ = planner.finished(.receipt(receipt), of: offered, at: now, random: 0.5)
        now = now.advanced(byMilliseconds: 61_000)
        // Back on the disk, where the same events have other keys.
        try FileManager.default.removeItem(atPath: disk.directory.file("filler"))
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        #expect(queue.health == .durable && queue.epoch == epoch)
        var sent: Set<String> = []
        for _ in 0..<100 {
            guard let batch = try next(of: queue) else { break }
            let results = batch.events.map { ($0.clientEventID, Receipt.Result(.accepted)) }
            sent.formUnion(results.map(\.0))
            let receipt = Receipt(results: Dictionary(uniqueKeysWithValues: results))
            let conclusion = planner.finished(.receipt(receipt), of: batch, at: now, random: 0.5)
            try queue.settle(conclusion.settlements)
            now = now.advanced(byMilliseconds: 5000)
        }
        #expect(sent.isSuperset(of: offered.events.map(\.clientEventID)))
        #expect(queue.counts.pending == 0 && queue.counts.isBalanced)
    }
}
