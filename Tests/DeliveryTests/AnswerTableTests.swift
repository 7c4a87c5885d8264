import Delivery
import TestSupport
import Testing
import Timekeeping

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

    @Test("413 is the word of a server that is there, whatever failed before it")
    func tooLargeAfterFailure() throws {
        var bench = try Bench(events: 4)
        _ = try bench.exchange { _ in .unreachable(.connectFailed, reason: "x") }
        bench.advance(1)
        _ = try bench.exchange { _ in .refused(Refusal(status: 413)) }
        #expect(bench.planner.connectivity == .online)
        #expect(bench.planner.failureReason == "HTTP 413")
        #expect(bench.waitSeconds() == 1)
        // A change of the network cannot have removed the cause.
        bench.planner.networkChanged(hasRoute: true, at: bench.now, random: 0)
        #expect(bench.waitSeconds() == 1)
    }

    @Test("413 for a single event deletes nothing and lets the others go on")
    func tooLargeForOne() throws {
        var bench = try Bench(events: 1)
        _ = try bench.exchange { _ in .refused(Refusal(status: 413)) }
        #expect(bench.queue.counts.pending == 1)
        #expect(try !bench.exchange { receipt($0) })
        try bench.commit(1)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests.last == [2])
    }

    @Test("a backlog that the server puts off does not stop what comes after it")
    func manyDeferred() throws {
        var bench = try Bench(events: 10_000)
        while try bench.exchange({ batch in
            receipt(batch) { _ in .deferred(retryAfterSeconds: 86_400, code: "quota_exceeded") }
        }) {}
        #expect(bench.requests.count == 50)
        #expect(bench.planner.deferralReason == "quota_exceeded")
        try bench.commit(3)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests.last == [10_001, 10_002, 10_003])
        #expect(bench.planner.deferralReason == nil)
        bench.advance(86_401)
        while try bench.exchange({ receipt($0) }) {}
        #expect(bench.queue.counts.acknowledged == 10_003)
    }

    @Test("the word that the server does not know this device holds, whoever heard it")
    func sharedPause() throws {
        var bench = try Bench(events: 3)
        bench.planner.refusedElsewhere("HTTP 401: key_unknown", at: bench.now)
        #expect(bench.planner.isPaused && bench.planner.refusedUntil != nil)
        #expect(bench.planner.failureReason == "HTTP 401: key_unknown")
        #expect(bench.waitSeconds() == 900)
        bench.planner.acceptedElsewhere()
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests == [[1]], "a probe")
        #expect(bench.planner.refusedUntil == nil)
        // A busy server has not said so.
        _ = try bench.exchange { _ in .refused(Refusal(status: 503)) }
        bench.planner.acceptedElsewhere()
        #expect(bench.waitSeconds() == 1 && bench.planner.refusedUntil == nil)
    }

    @Test("a set of keys holds what its ranges hold, and nothing else")
    func keySet() {
        let set = KeySet([3, 40], ranges: [20...29, 5...8, 7...12, 60...60])
        let held = (0...100).filter { set.contains(Int64($0)) }
        #expect(held == [3] + Array(5...12) + Array(20...29) + [40, 60])
        #expect(!KeySet([]).contains(0))
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
