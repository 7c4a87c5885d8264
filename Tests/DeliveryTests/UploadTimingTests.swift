import Delivery
import TestSupport
import Testing
import Timekeeping

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

    @Test("a backlog of long events, whose batches end by their bytes, drains at full speed, too")
    func longEvents() throws {
        var bench = try Bench(events: 0, policy: UploadPolicy(intervalSeconds: 60))
        let drafts = SampleEvents.drafts(2000).map { draft in
            var long = draft
            long.reason = String(repeating: "x", count: 6000)
            return long
        }
        _ = try bench.queue.commit(drafts, state: .none)
        while try bench.exchange({ receipt($0) }) {}
        #expect(bench.requests.allSatisfy { $0.count < 200 })
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

    @Test("tries that failed do not make the first one after the outage wait for its turn")
    func paceAfterFailures() throws {
        var bench = try Bench(events: 1, policy: UploadPolicy(intervalSeconds: 60))
        for _ in 0..<8 {
            #expect(try bench.exchange(random: 0) { _ in .unreachable(.noRoute, reason: "x") })
            bench.advance(1)
        }
        bench.planner.networkChanged(hasRoute: true, at: bench.now, random: 0.5)
        #expect(bench.waitSeconds() ?? 99 <= 5)
        bench.advance(5)
        #expect(try bench.exchange { receipt($0) })
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

    /// When the route goes and comes back, around a request that nobody answers.
    static let losses: [(String, before: [Bool], during: [Bool], after: [Bool])] = [
        ("gone before", [false], [], [true]),
        ("gone during", [], [false], [true]),
        ("gone and back during", [], [false, true], []),
        ("gone before, back during", [false], [true], []),
    ]

    @Test(
        "a request that dies with its route is a local failure, whatever it looks like",
        arguments: 0..<4)
    func diesWithRoute(index: Int) throws {
        let loss = Self.losses[index]
        var bench = try Bench(events: 1)
        for _ in 0..<9 {
            _ = try bench.exchange(random: 0.9) { _ in .unreachable(.serverBusy, reason: "x") }
            bench.advance(400)
        }
        func tell(_ routes: [Bool], _ bench: inout Bench) {
            for hasRoute in routes {
                bench.planner.networkChanged(hasRoute: hasRoute, at: bench.now, random: 0.4)
            }
        }
        tell(loss.before, &bench)
        guard case .send(let plan) = bench.step() else {
            Issue.record("no plan")
            return
        }
        let batch = OutgoingBatch(
            batchID: plan.batchID, events: try bench.queue.pending(plan.selection),
            counts: bench.queue.counts, clockAnchors: [])
        tell(loss.during, &bench)
        bench.advance(15)
        _ = bench.planner.finished(
            .unreachable(.serverBusy, reason: "time-out"), of: batch, at: bench.now, random: 0.9)
        if !loss.after.isEmpty {
            #expect(bench.waitSeconds() ?? 0 >= 269, "no route: a try every five minutes")
            tell(loss.after, &bench)
        }
        #expect(bench.waitSeconds() == 4, "\(loss.0)")
    }

    @Test("an answer shows that there is a way: it is asked again as the backoff says")
    func answeredWithoutRoute() throws {
        var bench = try Bench(events: 1)
        bench.planner.networkChanged(hasRoute: false, at: bench.now, random: 0)
        _ = try bench.exchange { _ in .refused(Refusal(status: 503)) }
        #expect(bench.waitSeconds() == 1)
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
