import Delivery
import Testing
import Timekeeping

@Suite("Heartbeats")
struct HeartbeatTests {
    private static let policy = UploadPolicy(intervalSeconds: 0, heartbeatSeconds: 300)

    private func heard(_ bench: inout Bench, _ outcome: HeartbeatOutcome, random: Double = 0)
        -> UploadConclusion
    {
        bench.planner.finished(heartbeat: outcome, at: bench.now, random: random)
    }

    private let well = HeartbeatOutcome.heard(configRevision: 7)

    @Test("a quiet device beats once a period, and hears the revision")
    func quiet() throws {
        var bench = try Bench(events: 0, policy: Self.policy)
        #expect(bench.waitSeconds() == 300)
        bench.advance(299)
        #expect(bench.waitSeconds() == 1)
        bench.advance(1)
        #expect(bench.step() == .heartbeat)
        let conclusion = heard(&bench, well)
        #expect(conclusion.configRevision == 7)
        #expect(conclusion.settlements.isEmpty)
        #expect(bench.planner.connectivity == .online)
        #expect(bench.waitSeconds() == 300)
    }

    @Test("without a period nothing beats")
    func never() throws {
        var bench = try Bench(events: 0)
        bench.advance(1_000_000)
        #expect(bench.step() == .idle)
    }

    @Test("a fleet that starts at once spreads over the period, and over a tenth of it afterwards")
    func spread() throws {
        var bench = try Bench(events: 0, policy: Self.policy)
        bench.planner = UploadPlanner(policy: Self.policy, batchPrefix: "t", phase: 0.75)
        #expect(bench.waitSeconds() == 75)
        bench.advance(75)
        #expect(bench.step() == .heartbeat)
        _ = heard(&bench, well, random: 0.5)
        #expect(bench.waitSeconds() == 285)
    }

    @Test("a receipt carries the same news and puts the heartbeat off")
    func receiptInstead() throws {
        var bench = try Bench(events: 0, policy: Self.policy)
        #expect(bench.waitSeconds() == 300)
        bench.advance(299)
        try bench.commit(1)
        #expect(try bench.exchange(random: 0) { receipt($0) })
        bench.advance(1)
        #expect(bench.waitSeconds() == 299)
    }

    @Test("events go before a heartbeat, and one that waits does not hold it up")
    func events() throws {
        var bench = try Bench(events: 0, policy: Self.policy)
        #expect(bench.waitSeconds() == 300)
        bench.advance(300)
        try bench.commit(1)
        #expect(
            try bench.exchange(random: 0) {
                receipt($0) { _ in .deferred(retryAfterSeconds: 3600) }
            })
        _ = try bench.exchange { receipt($0) }
        bench.advance(300)
        while case .send(let plan) = bench.step() {
            #expect(try bench.queue.pending(plan.selection).isEmpty)
            bench.planner.foundNothing(at: bench.now)
        }
        #expect(bench.step() == .heartbeat)
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var outcome: HeartbeatOutcome
        var state: ConnectivityState?
        /// Until the next request of any kind, with the random number 0.5.
        var waitSeconds: Double

        init(_ status: Int, _ state: ConnectivityState?, _ wait: Double, retryAfter: Double? = nil)
        {
            testDescription = "HTTP \(status)"
            outcome = .refused(Refusal(status: status, retryAfterSeconds: retryAfter))
            self.state = state
            waitSeconds = wait
        }

        init(_ state: ConnectivityState, _ wait: Double) {
            testDescription = "\(state)"
            outcome = .unreachable(state, reason: "x")
            self.state = state
            waitSeconds = wait
        }
    }

    @Test(
        "a heartbeat that fails waits as an upload does",
        arguments: [
            Failure(429, .serverBusy, 126, retryAfter: 120), Failure(500, .serverBusy, 1),
            Failure(503, .serverBusy, 1), Failure(511, .captivePortal, 1),
            Failure(401, .authenticationFailed, 900), Failure(403, .authenticationFailed, 900),
            Failure(.noRoute, 1), Failure(.captivePortal, 1), Failure(.clockUnsynchronised, 300),
        ])
    func failure(row: Failure) throws {
        var bench = try Bench(events: 0, policy: Self.policy)
        _ = bench.step()
        bench.advance(300)
        #expect(bench.step() == .heartbeat)
        _ = heard(&bench, row.outcome, random: 0.5)
        #expect(bench.planner.connectivity == row.state)
        try bench.commit(1)
        #expect(bench.waitSeconds() == row.waitSeconds, "events wait as well")
    }

    @Test(
        "a server without use for heartbeats still gets events, and one heartbeat an hour",
        arguments: [400, 404, 405, 410, 413, 415, 422, 426])
    func noRoute(status: Int) throws {
        var bench = try Bench(events: 0, policy: Self.policy)
        _ = bench.step()
        bench.advance(300)
        #expect(bench.step() == .heartbeat)
        _ = heard(&bench, .refused(Refusal(status: status)))
        #expect(!bench.planner.isPaused)
        #expect(bench.waitSeconds() == 3600)
        try bench.commit(2)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.queue.counts.pending == 0)
    }

    @Test("the backoff of uploads holds heartbeats back")
    func backoff() throws {
        var bench = try Bench(events: 1, policy: Self.policy)
        _ = bench.step()
        bench.advance(300)
        _ = try bench.exchange { _ in .refused(Refusal(status: 503, retryAfterSeconds: 1000)) }
        bench.advance(600)
        #expect(bench.step() != .heartbeat)
    }
}
