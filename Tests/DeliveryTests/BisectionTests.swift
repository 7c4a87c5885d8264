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
        "is a single event that waits for proof, unless the server blames the event itself",
        arguments: [true, false])
    func single(blames: Bool) throws {
        var bench = try Bench(events: 1)
        _ = try bench.exchange { _ in .refused(Refusal(status: 400, blamesEvents: blames)) }
        #expect(bench.queue.counts.dead == (blames ? 1 : 0))
        guard !blames else { return }
        #expect(try !bench.exchange { receipt($0) }, "held")
        try bench.commit(1)
        _ = try bench.exchange { receipt($0) }
        #expect(bench.queue.counts.dead == 1 && bench.queue.counts.acknowledged == 1)
    }

    @Test("by a server that refuses everything costs no event and at most 200 requests an hour")
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
        #expect(perHour.values.max() ?? 0 <= 202)
        // Repaired: everything is delivered.
        for _ in 0..<5000 where bench.queue.counts.pending > 0 {
            if try !bench.exchange({ receipt($0) }) { bench.advance(60) }
        }
        #expect(bench.queue.counts.acknowledged + bench.queue.counts.dead == 1000)
        #expect(bench.queue.counts.dead <= 200)
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
