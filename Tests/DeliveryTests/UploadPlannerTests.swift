import Delivery
import TestSupport
import Testing
import Timekeeping

/// A planner with a queue, driven by hand.
struct Bench {
    var planner: UploadPlanner
    let queue = InMemoryEventQueue()
    var now = Uptime(milliseconds: 1_000_000)
    /// Keys of each request.
    var requests: [[Int64]] = []
    /// Whether the server needs clock anchors.
    var owesAnchors = false
    /// Whether the last conclusion says that it has them.
    var hasAnchors = false

    init(events: Int, policy: UploadPolicy = UploadPolicy(intervalSeconds: 0)) throws {
        planner = UploadPlanner(policy: policy, batchPrefix: "t")
        try commit(events)
    }

    func commit(_ count: Int) throws {
        _ = try queue.commit(SampleEvents.drafts(count), state: .none)
    }

    mutating func step() -> UploadAction {
        planner.step(at: now, pendingCount: queue.counts.pending, owesAnchors: owesAnchors)
    }

    /// One request, answered by `server`; false: there was none to make.
    mutating func exchange(
        random: Double = 0.5, _ server: (OutgoingBatch) -> SendOutcome
    ) throws -> Bool {
        let batchID: String
        var rows: [QueuedEvent] = []
        switch step() {
        case .send(let plan):
            batchID = plan.batchID
            rows = try queue.pending(plan.selection)
            guard !rows.isEmpty else {
                planner.foundNothing(at: now)
                return false
            }
        case .sendAnchors(let id): batchID = id
        case .wait, .idle, .heartbeat: return false
        }
        requests.append(rows.map(\.key))
        let batch = OutgoingBatch(
            batchID: batchID, events: rows, counts: queue.counts, clockAnchors: [])
        let conclusion = planner.finished(server(batch), of: batch, at: now, random: random)
        try queue.settle(conclusion.settlements)
        hasAnchors = conclusion.hasAnchors
        return true
    }

    /// Seconds until the planner wants something; 0: now, nil: it is idle.
    mutating func waitSeconds() -> Double? {
        switch step() {
        case .wait(let until): until.seconds(since: now)
        case .idle: nil
        case .send, .sendAnchors, .heartbeat: 0
        }
    }

    mutating func advance(_ seconds: Double) {
        now = now.advanced(byMilliseconds: Int64(seconds * 1000))
    }
}

func receipt(
    _ batch: OutgoingBatch, _ status: (QueuedEvent) -> Receipt.Status? = { _ in .accepted }
) -> SendOutcome {
    var results: [String: Receipt.Result] = [:]
    for event in batch.events { results[event.clientEventID] = status(event).map { .init($0) } }
    return .receipt(Receipt(results: results, configRevision: 1))
}

@Suite("What the agent does with an answer")
struct AnswerTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var outcome: SendOutcome
        var state: ConnectivityState
        /// Until the next request with the random number 0.5; nil: none is due.
        var waitSeconds: Double
        var isPaused = false
    }

    static func refused(
        _ status: Int, _ state: ConnectivityState, _ wait: Double, retryAfter: Double? = nil,
        isPaused: Bool = false
    ) -> Row {
        Row(
            testDescription: "HTTP \(status), Retry-After \(retryAfter.map { "\($0)" } ?? "-")",
            outcome: .refused(Refusal(status: status, retryAfterSeconds: retryAfter)),
            state: state, waitSeconds: wait, isPaused: isPaused)
    }

    static let rows: [Row] =
        [408, 425, 429, 500, 502, 503, 504, 599, 402, 409, 418, 431, 451].map {
            refused($0, .serverBusy, 1)
        } + [
            refused(429, .serverBusy, 126, retryAfter: 120),
            refused(503, .serverBusy, 3780, retryAfter: 90_000),
            refused(503, .serverBusy, 1.05, retryAfter: 0),
            refused(511, .captivePortal, 1),
            refused(401, .authenticationFailed, 900, isPaused: true),
            refused(403, .authenticationFailed, 900, isPaused: true),
        ]
        + [404, 405, 410, 415, 426].map { refused($0, .endpointMismatch, 3600, isPaused: true) }
        + [.noRoute, .dnsFailed, .connectFailed, .tlsFailed, .captivePortal, .serverBusy].map {
            Row(
                testDescription: "\($0)", outcome: .unreachable($0, reason: "x"), state: $0,
                waitSeconds: 1)
        } + [
            Row(
                testDescription: "clock", outcome: .unreachable(.clockUnsynchronised, reason: "x"),
                state: .clockUnsynchronised, waitSeconds: 300)
        ]

    @Test(
        "an answer that is no receipt removes nothing, and says when to try again",
        arguments: rows)
    func failure(row: Row) throws {
        var bench = try Bench(events: 5)
        _ = try bench.exchange { _ in row.outcome }
        #expect(bench.queue.counts.pending == 5)
        #expect(bench.planner.connectivity == row.state)
        #expect(bench.planner.isPaused == row.isPaused)
        #expect(bench.planner.failureReason != nil)
        #expect(bench.waitSeconds() == row.waitSeconds)
        bench.advance(row.waitSeconds)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests.last?.count == (row.isPaused ? 1 : 5), "a pause ends by a probe")
        #expect(bench.planner.connectivity == .online)
        #expect(bench.planner.failureReason == nil)
        #expect(bench.planner.failures == 0)
    }

    @Test("accepted and duplicate leave the queue, rejected is a dead letter, the rest stays")
    func perEvent() throws {
        var bench = try Bench(events: 6)
        _ = try bench.exchange { batch in
            receipt(batch) { event in
                switch event.key {
                case 1: .accepted
                case 2: .duplicate
                case 3: .rejected(code: "id_reused")
                case 4: .deferred(retryAfterSeconds: 30)
                case 5: .deferred(retryAfterSeconds: nil)
                default: nil
                }
            }
        }
        let counts = bench.queue.counts
        #expect(counts.acknowledged == 2 && counts.dead == 1 && counts.pending == 3)
        #expect(
            try bench.queue.deadLetters(limit: 1).first?.status == .dead(code: "id_reused"))
        // Other events go on meanwhile.
        try bench.commit(1)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests.last == [7])
        #expect(try !bench.exchange { receipt($0) })
        #expect(bench.waitSeconds() == 30)
        bench.advance(30)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests.last == [4])
        bench.advance(30)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests.last == [5, 6])
        #expect(bench.queue.counts.pending == 0)
        #expect(bench.waitSeconds() == nil)
    }

    @Test("a receipt that names none of the events is a failure of the server")
    func emptyReceipt() throws {
        var bench = try Bench(events: 2)
        _ = try bench.exchange { receipt($0) { _ in nil } }
        #expect(bench.planner.connectivity == .serverBusy)
        #expect(bench.queue.counts.pending == 2)
        #expect(bench.waitSeconds() ?? 0 >= 1)
        #expect(!bench.hasAnchors)
    }

    @Test("413 halves the batch, down to one event, and a day long")
    func tooLarge() throws {
        var bench = try Bench(events: 500, policy: UploadPolicy(maxBatch: 40, intervalSeconds: 0))
        var sizes: [Int] = []
        for _ in 0..<3 {
            _ = try bench.exchange { _ in .refused(Refusal(status: 413)) }
            sizes.append(bench.requests.last?.count ?? 0)
            #expect(bench.waitSeconds() == 1)
            bench.advance(1)
        }
        #expect(sizes == [40, 20, 10])
        _ = try bench.exchange { receipt($0) }
        #expect(bench.requests.last?.count == 5)
        bench.advance(86_000)
        _ = try bench.exchange { receipt($0) }
        #expect(bench.requests.last?.count == 5)
        bench.advance(500)
        _ = try bench.exchange { receipt($0) }
        #expect(bench.requests.last?.count == 40)
        #expect(bench.queue.counts.dead == 0)
    }

    @Test("413 for a single event is a failure of the server and deletes nothing")
    func tooLargeForOne() throws {
        var bench = try Bench(events: 1)
        _ = try bench.exchange { _ in .refused(Refusal(status: 413)) }
        #expect(bench.queue.counts.pending == 1)
        #expect(bench.planner.connectivity == .serverBusy)
    }

    @Test("a stop from this side counts as nothing")
    func cancelled() throws {
        var bench = try Bench(events: 1)
        _ = try bench.exchange { _ in .cancelled }
        #expect(bench.planner.connectivity == nil)
        #expect(bench.waitSeconds() == 0)
    }

    @Test("batch ids are never used twice")
    func batchIDs() throws {
        var bench = try Bench(events: 1)
        var ids: Set<String> = []
        for _ in 0..<50 {
            bench.advance(400)
            _ = try bench.exchange {
                ids.insert($0.batchID)
                return .unreachable(.serverBusy, reason: "x")
            }
        }
        #expect(ids.count == 50)
    }
}

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

@Suite("When the agent uploads")
struct UploadTimingTests {
    @Test("nothing is sent without an event")
    func idle() throws {
        var bench = try Bench(events: 0)
        #expect(bench.step() == .idle)
    }

    @Test("events go at once after a quiet time, and at one upload per interval in the long run")
    func allowance() throws {
        var bench = try Bench(events: 1, policy: UploadPolicy(intervalSeconds: 60))
        let start = bench.now
        var times: [Double] = []
        while bench.now.seconds(since: start) < 3600 {
            if try bench.exchange({ receipt($0) }) {
                times.append(bench.now.seconds(since: start))
                try bench.commit(1)
            } else {
                bench.advance(max(0.01, bench.waitSeconds() ?? 1))
            }
        }
        #expect(times.prefix(4).allSatisfy { $0 == 0 })
        #expect((63...65).contains(times.count))
    }

    @Test("a backlog drains at full speed")
    func backlog() throws {
        var bench = try Bench(events: 2050, policy: UploadPolicy(intervalSeconds: 60))
        while try bench.exchange({ receipt($0) }) {}
        #expect(bench.requests.count == 11)
        #expect(bench.queue.counts.pending == 0)
    }

    @Test(
        "a network event brings the first try within ten seconds after a local failure only",
        arguments: ConnectivityState.allCases)
    func networkEvent(state: ConnectivityState) throws {
        guard ![.online, .authenticationFailed, .endpointMismatch].contains(state) else { return }
        var bench = try Bench(events: 1)
        for _ in 0..<10 {
            _ = try bench.exchange(random: 0.9) { _ in .unreachable(state, reason: "x") }
            bench.advance(400)
        }
        _ = try bench.exchange(random: 0.9) { _ in .unreachable(state, reason: "x") }
        let before = bench.waitSeconds() ?? 0
        #expect(before >= 269)
        bench.planner.networkChanged(hasRoute: true, at: bench.now, random: 0.7)
        let after = bench.waitSeconds() ?? 0
        #expect(after == (state.isLocal ? 7 : before))
        // A flapping link does not bring it forward again and again.
        bench.planner.networkChanged(hasRoute: true, at: bench.now, random: 0)
        #expect(bench.waitSeconds() == after)
    }

    @Test("a pause is not ended by the network", arguments: [401, 404])
    func pauseStays(status: Int) throws {
        var bench = try Bench(events: 1)
        _ = try bench.exchange { _ in .refused(Refusal(status: status)) }
        let before = bench.waitSeconds()
        bench.planner.networkChanged(hasRoute: true, at: bench.now, random: 0)
        #expect(bench.waitSeconds() == before)
        bench.planner.flush()
        #expect(bench.waitSeconds() == 0)
    }

    @Test("a change during a request that then fails locally makes the next one soon")
    func changeDuringRequest() throws {
        var bench = try Bench(events: 1)
        for _ in 0..<9 {
            _ = try bench.exchange(random: 0.9) { _ in .unreachable(.connectFailed, reason: "x") }
            bench.advance(400)
        }
        guard case .send(let plan) = bench.step() else {
            Issue.record("no plan")
            return
        }
        let batch = OutgoingBatch(
            batchID: plan.batchID, events: try bench.queue.pending(plan.selection),
            counts: bench.queue.counts, clockAnchors: [])
        bench.planner.networkChanged(hasRoute: true, at: bench.now, random: 0.3)
        _ = bench.planner.finished(
            .unreachable(.connectFailed, reason: "x"), of: batch, at: bench.now, random: 0.9)
        #expect(bench.waitSeconds() == 3)
    }

    @Test("without a route there is still a try every five minutes")
    func noRoute() throws {
        var bench = try Bench(events: 1)
        bench.planner.networkChanged(hasRoute: false, at: bench.now, random: 0)
        let start = bench.now
        while bench.now.seconds(since: start) < 3600 {
            if try !bench.exchange({ _ in .unreachable(.noRoute, reason: "x") }) {
                bench.advance(max(0.001, bench.waitSeconds() ?? 1))
            }
        }
        #expect(bench.requests.count == 12)
        bench.planner.networkChanged(hasRoute: true, at: bench.now, random: 0.5)
        #expect(bench.waitSeconds() ?? 99 <= 5)
    }

    @Test("ten thousand devices do not come back in the same second after an outage")
    func herd() throws {
        var perSecond: [Int: Int] = [:]
        for device in 0..<10_000 {
            var generator = SeededGenerator(seed: UInt64(device))
            var delay = RetryDelay()
            var time = 0.0
            while time < 3600 { time += delay.failed(random: generator.unit()) }
            perSecond[Int(time), default: 0] += 1
        }
        #expect(perSecond.values.max() ?? 0 < 130)
    }
}
