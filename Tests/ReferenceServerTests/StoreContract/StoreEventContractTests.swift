import Foundation
import Testing
import Timekeeping

@testable import ReferenceServer

extension ServerStoreContractTests {
    private typealias Sent = StoreBench.Sent

    @Test(
        "an event is kept once: within a batch, across batches, after a restart",
        arguments: StoreKind.allCases)
    func idempotency(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let one = Sent(id: "e-1")
        let two = Sent(id: "e-2", sequence: 2)
        let changed = Sent(id: "e-1", note: "another payload")
        #expect(
            try bench.ingest([one, two, one, changed])
                == ["accepted", "accepted", "duplicate", "id_reused"])
        #expect(try bench.ingest([two, one]) == ["duplicate", "duplicate"])
        let reopened = try bench.reopened()
        let again = try reopened.ingest(
            bench.batch([one, changed]), into: bench.workspace, now: bench.now)
        #expect(again.map(StoreBench.word) == ["duplicate", "id_reused"])
        #expect(try bench.eventIDs() == ["e-1", "e-2"])
        #expect(try bench.store.usage(of: bench.workspace, now: bench.now).eventsThisMonth == 2)
    }

    @Test("at once from many sides, an event is kept once", arguments: StoreKind.allCases)
    func concurrentIdempotency(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let sent = (1...20).map { Sent(id: "e-\($0)", sequence: Int64($0)) }
        let batches = try (0..<8).map { start in
            try bench.batch(Array(sent[start...] + sent[..<start]))
        }
        let words = Gathered<String>()
        DispatchQueue.concurrentPerform(iterations: batches.count) { index in
            let outcomes =
                (try? bench.store.ingest(
                    batches[index], into: bench.workspace, now: bench.now)) ?? []
            words.add(outcomes.map(StoreBench.word))
        }
        let all = words.all
        #expect(all.count { $0 == "accepted" } == 20)
        #expect(all.count { $0 == "duplicate" } == 140)
        #expect(try Set(bench.eventIDs()).count == 20)
    }

    @Test("another workspace may have the same ids, and sees none", arguments: StoreKind.allCases)
    func isolation(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let other = try bench.store.createWorkspace(
            WorkspaceDraft(name: "second", plan: .production), now: bench.now
        ).id
        try bench.put(bench.draft("a"))
        #expect(try bench.ingest([Sent(id: "e-1")]) == ["accepted"])
        #expect(try bench.events(of: other).isEmpty)
        #expect(try bench.store.device("van-7", of: other) == nil)
        #expect(try bench.store.fence("a", of: other) == nil)
        #expect(try bench.ingest([Sent(id: "e-1", note: "x")], into: other) == ["accepted"])
        #expect(try bench.store.eraseDevice("van-7", of: other, now: bench.now))
        #expect(try bench.eventIDs() == ["e-1"])
    }

    @Test(
        "what is over the month's quota waits, what is known already does not",
        arguments: StoreKind.allCases)
    func quota(kind: StoreKind) throws {
        let limits = WorkspaceLimits(fences: 1, keys: 1, devices: 1, eventsPerMonth: 2)
        let bench = try StoreBench(kind, limits: limits)
        let sent = (1...3).map { Sent(id: "e-\($0)", sequence: Int64($0)) }
        #expect(try bench.ingest(sent) == ["accepted", "accepted", "quota_exceeded"])
        #expect(try bench.ingest([sent[2], sent[0]]) == ["quota_exceeded", "duplicate"])
        let usage = try bench.store.usage(of: bench.workspace, now: bench.now)
        #expect(usage.eventsThisMonth == 2 && usage.devices == 1)
        #expect(
            throwsError(.limit(.devices(1))) { try bench.ingest([sent[2]], device: "van-8") })
        // Noon is on 31 January.
        #expect(try bench.ingest([sent[2]], at: bench.later(days: 1)) == ["accepted"])
    }

    @Test("a trial that is over lets events wait", arguments: StoreKind.allCases)
    func trial(kind: StoreKind) throws {
        let bench = try StoreBench(kind, plan: .trial)
        #expect(try bench.ingest([Sent(id: "e-1")], at: bench.later(days: 29)) == ["accepted"])
        #expect(
            try bench.ingest([Sent(id: "e-2", sequence: 2)], at: bench.later(days: 30))
                == ["trial_over"])
    }

    @Test("filters find what matches, page by page", arguments: StoreKind.allCases)
    func filters(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        for number in 1...6 as ClosedRange<Int64> {
            let isEven = number % 2 == 0
            try bench.ingest(
                [
                    Sent(
                        id: "e-\(number)", kind: isEven ? .exit : .enter, sequence: number,
                        fence: isEven ? "a" : "b", second: number * 60)
                ], device: number < 4 ? "van-7" : "van-8")
        }
        #expect(try bench.events { $0.deviceID = "van-8" }.count == 3)
        #expect(try bench.events { $0.fenceID = "a" }.count == 3)
        #expect(try bench.events { $0.kind = .enter }.count == 3)
        #expect(
            try bench.events {
                $0.since = bench.later(seconds: 120)
                $0.until = bench.later(seconds: 240)
            }.count == 2)
        var cursor: Int64?
        var receipts: [Int64] = []
        repeat {
            var filter = EventFilter()
            filter.limit = 2
            filter.cursor = cursor
            let piece = try bench.store.eventPiece(filter, of: bench.workspace)
            receipts += piece.events.map(\.receipt)
            cursor = piece.next
        } while cursor != nil
        #expect(receipts.count == 6 && receipts == receipts.sorted())
    }

    @Test("a clock anchor of the boot gives a time to what has none", arguments: StoreKind.allCases)
    func anchors(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.ingest([Sent(id: "e-1", second: nil, uptime: 100)])
        #expect(try bench.events().first?.occurredAt == nil)
        let anchor = IncomingBatch.Anchor(
            bootID: "boot-1", monoMilliseconds: 160_000, utc: bench.now, source: "gnss")
        var foreign = anchor
        foreign.bootID = "boot-2"
        foreign.monoMilliseconds = 0
        try bench.ingest([], anchors: [anchor, foreign])
        let event = try #require(try bench.events().first)
        #expect(event.occurredAt == bench.later(seconds: -60) && event.cameWithoutOccurrence)
        let kept = try bench.store.anchors(
            ofDevice: "van-7", of: bench.workspace, after: nil, limit: 10)
        #expect(kept.map(\.bootID) == ["boot-1", "boot-2"])
        #expect(
            try bench.store.anchors(
                ofDevice: "van-7", of: bench.workspace, after: kept.first, limit: 10
            ).map(\.bootID) == ["boot-2"])
    }
}
