import Delivery
import TestSupport
import Testing
import Timekeeping

@Suite("A poisoned batch")
struct BisectionTests {
    static let rows = (1...10).flatMap { count in (0..<12).map { (count, $0) } }

    @Test("costs exactly the offenders, within 2 k log2(100) + 2 requests", arguments: rows)
    func poison(count: Int, seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed * 100 + count))
        var bad = Set<Int64>()
        if seed == 0 { bad = Set((1...Int64(count)).map { $0 }) }
        while bad.count < count { bad.insert(Int64.random(in: 1...100, using: &generator)) }
        var bench = try Bench(events: 100)
        while try bench.exchange({ batch in
            batch.events.contains { bad.contains($0.key) }
                ? .refused(Refusal(status: 422)) : receipt(batch)
        }) {}
        let bound = 2 * Double(count) * 6.6438562 + 2
        #expect(Double(bench.requests.count) <= bound, "\(bad.sorted())")
        #expect(Set(try bench.queue.deadLetters(limit: 200).map(\.key)) == bad)
        #expect(bench.queue.counts.acknowledged == Int64(100 - count))
        #expect(bench.queue.counts.pending == 0)
    }

    @Test(
        "is a single event that waits for proof, and is given up when it is refused three times more",
        arguments: [400, 422])
    func single(status: Int) throws {
        var bench = try Bench(events: 1)
        _ = try bench.exchange { _ in .refused(Refusal(status: status)) }
        #expect(try !bench.exchange { receipt($0) }, "held")
        // A duplicate proves nothing, another accepted event does.
        try bench.commit(1)
        _ = try bench.exchange { receipt($0) { _ in .duplicate } }
        #expect(try !bench.exchange { receipt($0) }, "held")
        try bench.commit(1)
        _ = try bench.exchange { receipt($0) }
        for round in 1...3 {
            #expect(bench.queue.counts.dead == 0)
            _ = try bench.exchange { _ in .refused(Refusal(status: status)) }
            #expect(bench.requests.last == [1])
            #expect(try !bench.exchange { receipt($0) }, "held or gone, round \(round)")
            try bench.commit(1)
            _ = try bench.exchange { receipt($0) }
        }
        #expect(bench.requests == [[1], [2], [3], [1], [4], [1], [5], [1], [6]])
        #expect(bench.queue.counts.dead == 1 && bench.queue.counts.acknowledged == 5)
        #expect(bench.queue.counts.pending == 0)
    }

    @Test("of one event that is too large is given up after six refusals between accepted events")
    func tooLarge() throws {
        var bench = try Bench(events: 1)
        for offer in 1...6 {
            #expect(bench.queue.counts.dead == 0)
            #expect(try bench.exchange { _ in .refused(Refusal(status: 413)) })
            #expect(bench.requests.last == [1], "offer \(offer)")
            #expect(try !bench.exchange { receipt($0) }, "held")
            try bench.commit(1)
            #expect(try bench.exchange { receipt($0) })
        }
        #expect(bench.queue.counts.dead == 1 && bench.queue.counts.pending == 0)
    }

    @Test("refused in turns as wrong and as too large has no event that was refused twice")
    func twoReasons() throws {
        var bench = try Bench(events: 1)
        for round in 0..<8 {
            let refusal = Refusal(status: round % 2 == 0 ? 422 : 413)
            #expect(try bench.exchange { _ in .refused(refusal) })
            #expect(bench.requests.last == [1], "round \(round)")
            try bench.commit(1)
            #expect(try bench.exchange { receipt($0) })
        }
        #expect(bench.queue.counts.dead == 0 && bench.queue.counts.pending == 1)
    }

    @Test("whose offender has given its row to another event blames that one for nothing")
    func otherEvent() throws {
        var bench = try Bench(events: 1)
        for _ in 0..<3 {
            _ = try bench.exchange { _ in .refused(Refusal(status: 422)) }
            #expect(bench.requests.last == [1])
            try bench.commit(1)
            _ = try bench.exchange { receipt($0) }
        }
        // The next refusal of that event would be the last one.
        guard case .send(let plan) = bench.step() else {
            Issue.record("no plan")
            return
        }
        var rows = try bench.queue.pending(plan.selection)
        #expect(rows.map(\.key) == [1])
        rows[0].clientEventID = "another"
        let batch = OutgoingBatch(
            batchID: plan.batchID, events: rows, counts: bench.queue.counts, clockAnchors: [])
        let conclusion = bench.planner.finished(
            .refused(Refusal(status: 422)), of: batch, at: bench.now, random: 0.5)
        #expect(conclusion.settlements == [])
    }

    @Test("waits for fresh proof: an event that was accepted a while ago shows nothing")
    func staleProof() throws {
        var bench = try Bench(events: 1)
        _ = try bench.exchange { _ in .refused(Refusal(status: 422)) }
        try bench.commit(1)
        _ = try bench.exchange { receipt($0) }
        bench.advance(120)
        #expect(try !bench.exchange { _ in .refused(Refusal(status: 422)) })
        #expect(bench.queue.counts.dead == 0)
        try bench.commit(1)
        _ = try bench.exchange { receipt($0) }
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.queue.counts.acknowledged == 3)
    }

    @Test("waits for another proof where its next offer fails on its way")
    func interruptedOffer() throws {
        var bench = try Bench(events: 1)
        _ = try bench.exchange { _ in .refused(Refusal(status: 422)) }
        try bench.commit(1)
        _ = try bench.exchange { receipt($0) }
        #expect(try bench.exchange { _ in .unreachable(.serverBusy, reason: "x") })
        // Within the time for which an accepted event is proof: the server is another by now.
        bench.advance(20)
        #expect(try !bench.exchange { _ in .refused(Refusal(status: 422)) })
        #expect(bench.queue.counts.dead == 0)
    }

    @Test("takes nothing for proof that was accepted before the refusal")
    func proofBefore() throws {
        var bench = try Bench(events: 1)
        _ = try bench.exchange { _ in .refused(Refusal(status: 422)) }
        try bench.commit(1)
        _ = try bench.exchange { receipt($0) }
        // What was to be offered is gone; its proof is not one against the next that is refused.
        try bench.queue.settle([Settlement(key: 1, fate: .acknowledged)], state: .none)
        try bench.commit(1)
        bench.requests = []
        #expect(try !bench.exchange { receipt($0) })
        while try bench.exchange({ _ in .refused(Refusal(status: 422)) }) {}
        #expect(bench.requests == [[3]])
        #expect(bench.queue.counts.dead == 0)
    }

    @Test("whose offender is taken the second time lets the others go at once")
    func takenAfterAll() throws {
        var bench = try Bench(events: 8)
        while try bench.exchange({ _ in .refused(Refusal(status: 422)) }) {}
        #expect(bench.queue.counts.pending == 8, "all are held")
        try bench.commit(1)
        bench.requests = []
        while try bench.exchange({ receipt($0) }) {}
        #expect(bench.requests == [[9], [1], [2, 3, 4, 5, 6, 7, 8]])
        #expect(bench.queue.counts.acknowledged == 9)
    }

    @Test("by a server that breaks down half-way costs no event but the offender")
    func breaksDown() throws {
        for refusedFrom in 2...14 {
            var bench = try Bench(events: 100)
            let start = bench.now
            while bench.now.seconds(since: start) < 4 * 3600 || bench.queue.counts.pending > 0,
                bench.now.seconds(since: start) < 12 * 3600
            {
                let isBroken =
                    bench.requests.count >= refusedFrom
                    && bench.now.seconds(since: start) < 2 * 3600
                let sent = try bench.exchange { batch in
                    isBroken || batch.events.contains { $0.key == 77 }
                        ? .refused(Refusal(status: 400)) : receipt(batch)
                }
                if !sent {
                    bench.advance(60)
                    // The device goes on.
                    if bench.now.milliseconds % 1_200_000 < 60_000 { try bench.commit(1) }
                }
            }
            let dead = try bench.queue.deadLetters(limit: 200).map(\.key)
            #expect(dead == [77], "broken from request \(refusedFrom)")
            #expect(bench.queue.counts.pending == 0, "broken from request \(refusedFrom)")
        }
    }

    @Test("does not end a pause for ever: while nothing else is there, its events are the probes")
    func paused() throws {
        var bench = try Bench(events: 4)
        _ = try bench.exchange { _ in .refused(Refusal(status: 422)) }
        _ = try bench.exchange { _ in .refused(Refusal(status: 401)) }
        #expect(bench.planner.isPaused)
        bench.advance(900)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests.last?.count == 1)
        while try bench.exchange({ receipt($0) }) {}
        #expect(bench.queue.counts.acknowledged == 4)
        #expect(
            bench.requests.flatMap { $0 }.count { $0 == 1 } == 3, "the batch, its half, the probe")
    }

    @Test("asks no more for an event that the server has deferred apart from its group")
    func deferredApart() throws {
        var bench = try Bench(events: 4)
        _ = try bench.exchange { _ in .refused(Refusal(status: 422)) }
        _ = try bench.exchange { _ in .refused(Refusal(status: 401)) }
        bench.advance(900)
        #expect(try bench.exchange { receipt($0) { _ in .deferred(retryAfterSeconds: 7200) } })
        #expect(bench.requests.last == [1], "the probe")
        bench.requests = []
        while try bench.exchange({ receipt($0) }) {}
        #expect(bench.requests.flatMap { $0 }.sorted() == [2, 3, 4])
        bench.advance(7200)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests.last == [1] && bench.queue.counts.acknowledged == 4)
    }

    @Test("that has spent its requests of the hour does not hold back what is new")
    func budgetSpent() throws {
        var bench = try Bench(events: 300, policy: UploadPolicy(maxBatch: 300, intervalSeconds: 0))
        while try bench.exchange({ batch in
            batch.events.contains { $0.key <= 300 }
                ? .refused(Refusal(status: 422)) : receipt(batch)
        }) {}
        #expect((200...202).contains(bench.requests.count))
        try bench.commit(5)
        #expect(
            try bench.exchange { batch in
                batch.events.contains { $0.key <= 300 }
                    ? .refused(Refusal(status: 422)) : receipt(batch)
            })
        #expect(bench.requests.last == [301, 302, 303, 304, 305])
        #expect(bench.queue.counts.acknowledged == 5)
    }

    @Test(
        "by a server that refuses everything costs no event and at most 200 extra requests an hour")
    func refusesEverything() throws {
        var bench = try Bench(events: 1000)
        let start = bench.now
        var perHour: [Int: Int] = [:]
        while bench.now.seconds(since: start) < 6 * 3600 {
            let hour = Int(bench.now.seconds(since: start) / 3600)
            if try bench.exchange({ _ in .refused(Refusal(status: 400)) }) {
                perHour[hour, default: 0] += 1
            } else {
                bench.advance(max(0.001, min(bench.waitSeconds() ?? 60, 60)))
            }
        }
        #expect(bench.queue.counts.pending == 1000)
        // The batches themselves are asked about once, at the pace of failures.
        #expect(perHour.values.max() ?? 0 <= 206)
        // Repaired: everything is delivered.
        for _ in 0..<5000 where bench.queue.counts.pending > 0 {
            if try !bench.exchange({ receipt($0) }) { bench.advance(60) }
        }
        #expect(bench.queue.counts.acknowledged == 1000)
        #expect(bench.queue.counts.dead == 0)
    }

    @Test("goes on after a failure in its midst")
    func interrupted() throws {
        var bench = try Bench(events: 16)
        var calls = 0
        for _ in 0..<200 where bench.queue.counts.pending > 0 {
            let done = try bench.exchange { batch in
                calls += 1
                if calls % 3 == 0 { return .refused(Refusal(status: 503)) }
                return batch.events.contains { $0.key == 11 }
                    ? .refused(Refusal(status: 400)) : receipt(batch)
            }
            if !done { bench.advance(2) }
        }
        #expect(bench.queue.counts.acknowledged == 15 && bench.queue.counts.dead == 1)
    }
}
