import Delivery
import TestSupport
import Testing
import Timekeeping

@Suite("An event that is refused alone")
struct SuspectTests {
    private static func refuseAll(_: OutgoingBatch) -> SendOutcome {
        .refused(Refusal(status: 422))
    }

    /// A server that is well, and refuses whatever has one of these events.
    private static func refusing(_ bad: Set<Int64>) -> (OutgoingBatch) -> SendOutcome {
        { batch in
            batch.events.contains { bad.contains($0.key) }
                ? .refused(Refusal(status: 422)) : receipt(batch)
        }
    }

    /// Accepted events for one bad event, and how often that is offered again.
    static let searches = [(9, 1), (10, 1), (99, 1), (8, 3), (4, 3), (1, 3), (0, 3)]

    @Test(
        "is given up at its next refusal if the server took nine others or more, else at the third",
        arguments: searches)
    func singledOut(good: Int, offers: Int) throws {
        var bench = try Bench(events: good + 1)
        let bad = Int64(good / 2 + 1)
        let server = Self.refusing([bad])
        _ = try bench.exchangeAll(server)
        var further = 0
        while bench.queue.counts.dead == 0, further < 9 {
            try bench.commit(1)
            further += 1
            _ = try bench.exchangeAll(server)
        }
        let alone = bench.requests.count { $0 == [bad] }
        #expect(alone == 1 + offers)
        #expect(bench.queue.counts.acknowledged == Int64(good + further))
        #expect(bench.queue.counts.dead == 1 && bench.queue.counts.pending == 0)
    }

    @Test(
        "by a server that accepts one event, and then refuses everything again, is kept twice",
        arguments: [(1, 0), (2, 0), (3, 3)])
    func relapses(times: Int, dead: Int64) throws {
        var bench = try Bench(events: 3)
        _ = try bench.exchangeAll(Self.refuseAll)
        for _ in 0..<times {
            try bench.commit(1)
            #expect(try bench.exchange { receipt($0) })
            bench.requests = []
            _ = try bench.exchangeAll(Self.refuseAll)
            #expect(bench.requests == [[1], [2], [3]], "one offer each")
        }
        #expect(bench.queue.counts.dead == dead)
        try bench.commit(1)
        while try bench.exchange({ receipt($0) }) {}
        #expect(bench.queue.counts.dead == dead && bench.queue.counts.pending == 0)
    }

    @Test("is not offered before the end of the search that has found it")
    func sought() throws {
        var bench = try Bench(events: 20)
        _ = try bench.exchangeAll(Self.refusing([1]))
        #expect(
            bench.requests.map(\.count) == [20, 10, 5, 2, 1, 1, 3, 5, 10, 1],
            "the only second request for it is the last one")
        #expect(bench.requests.last == [1] && bench.queue.counts.dead == 1)
    }

    @Test(
        "at the end of a search that was broken off behind the last accepted event stands as alone",
        arguments: [false, true])
    func brokenOff(isBrokenOff: Bool) throws {
        var bench = try Bench(events: 20)
        while bench.queue.counts.acknowledged < 19 {
            #expect(try bench.exchange(Self.refusing([20])))
        }
        if isBrokenOff { _ = try bench.exchange { _ in .refused(Refusal(status: 503)) } }
        bench.advance(1)
        bench.requests = []
        _ = try bench.exchangeAll(Self.refuseAll)
        #expect(bench.requests == (isBrokenOff ? [[20]] : [[20], [20]]))
        #expect(bench.queue.counts.dead == (isBrokenOff ? 0 : 1))
    }

    @Test("that is taken as the probe of a pause lets the others go at once")
    func probe() throws {
        var bench = try Bench(events: 3)
        _ = try bench.exchangeAll(Self.refuseAll)
        try bench.commit(1)
        _ = try bench.exchange { _ in .refused(Refusal(status: 401)) }
        bench.advance(900)
        bench.requests = []
        #expect(try bench.exchange { receipt($0) })
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests == [[1], [2, 3, 4]])
    }

    /// Seconds between the events of a quiet device, and whether it sleeps in between.
    static let rhythms = [
        (60, false), (7200, false), (86_400, false), (7200, true), (86_400, true),
    ]

    @Test(
        "leaves the queue of the quietest device after the third event behind it",
        arguments: rhythms)
    func quiet(seconds: Int, sleeps: Bool) throws {
        var bench = try Bench(events: 1)
        let server = Self.refusing([1])
        for further in 0...3 {
            #expect(bench.queue.counts.dead == 0, "after \(further) events")
            _ = try bench.exchangeAll(server)
            var left = Double(seconds)
            while left > 0 {
                let step = sleeps ? left : min(left, 60)
                bench.advance(step)
                left -= step
                if !sleeps { while try bench.exchange(server) {} }
            }
            try bench.commit(1)
        }
        _ = try bench.exchangeAll(server)
        #expect(bench.queue.counts.dead == 1 && bench.queue.counts.pending == 0)
        // A refusal an hour, and what the events behind it cost.
        #expect(bench.requests.count { $0 == [1] } <= 12 + 4 * seconds / 3600)
    }

    @Test("is as many as every second one, and the queue stays short")
    func everySecond() throws {
        var bench = try Bench(events: 0)
        for _ in 0..<300 {
            try bench.commit(2)
            let sent = try bench.exchangeAll { batch in
                batch.events.contains { $0.key % 2 == 0 }
                    ? .refused(Refusal(status: 422)) : receipt(batch)
            }
            #expect(sent <= 12)
            bench.advance(60)
        }
        #expect(bench.queue.counts.acknowledged == 300)
        #expect(bench.queue.counts.dead >= 290)
    }

    @Test("among too many for the requests of an hour is given up with those found in it")
    func budgetSpent() throws {
        var bench = try Bench(events: 500, policy: UploadPolicy(maxBatch: 500, intervalSeconds: 0))
        let bad = Set((1...45).map { Int64($0 * 11) })
        let sent = try bench.exchangeAll(Self.refusing(bad))
        #expect(bench.queue.counts.dead > 15)
        #expect(sent <= 202 + Int(bench.queue.counts.dead))
        bench.advance(3600)
        _ = try bench.exchangeAll(Self.refusing(bad))
        #expect(Set(try bench.queue.deadLetters(limit: 500).map(\.key)) == bad)
        #expect(bench.queue.counts.acknowledged == 455)
    }
}
