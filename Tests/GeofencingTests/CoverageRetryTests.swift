import Foundation
import Geodesy
import Geofencing
import Testing
import Timekeeping

@Suite("When the coverage guard asks again")
struct CoverageRetryTests {
    @Test("failures back off exponentially, at most 300 s, 30 s while the device is too far")
    func backoff() throws {
        var bench = try CoverageBench.synced(nil)
        bench.coverage.configurationPushed()
        var waits: [Double] = []
        for _ in 0..<12 {
            var step = try bench.fix(at: 0)
            let from = bench.seconds
            while step.request == nil { step = try bench.fix(at: 0) }
            waits.append(bench.seconds - from)
            #expect(step.request?.reason == .push)
            bench.fail()
        }
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(waits.last.map { $0 > 250 && $0 <= 300 } == true, "\(waits)")
        // Far away the wait is cut to 30 s.
        let from = bench.seconds
        var step = try bench.fix(at: 2000)
        while step.request == nil { step = try bench.fix(at: 2000) }
        #expect(bench.seconds - from <= 31)
    }

    @Test("jitter spreads the wait from 1 s up")
    func jitter() throws {
        for (random, most) in [(0.0, 1.0), (0.5, 128), (0.999, 256)] {
            var bench = try CoverageBench.synced(nil)
            for _ in 0..<7 {
                bench.seconds += 1000
                bench.coverage.configurationPushed()
                #expect(try bench.fix(at: 0).request != nil)
                bench.fail(random: 0)
            }
            bench.seconds += 1000
            _ = try bench.fix(at: 0)
            bench.fail(random: random)
            #expect(bench.tick(most - 0.9).request == nil)
            #expect(bench.tick(1).request != nil)
        }
    }

    @Test(
        "the network's return ends the wait after a local failure only",
        arguments: [
            (FenceFetchFailure.Kind.local, true), (.server, false), (.authentication, false),
            (.configuration, false),
        ])
    func networkEvent(kind: FenceFetchFailure.Kind, resets: Bool) throws {
        var bench = try CoverageBench()
        for _ in 0..<9 {
            bench.seconds += 1000
            #expect(try bench.fix(at: 0).request != nil)
            bench.fail(kind)
        }
        bench.coverage.networkChanged(at: bench.now, random: 0.2)
        #expect(bench.tick(1.9).request == nil)
        #expect((bench.tick(0.2).request != nil) == resets)
    }

    @Test(
        "a refusal or Retry-After is waited for, however far the device is",
        arguments: [
            (FenceFetchFailure.Kind.authentication, nil, 900.0), (.configuration, nil, 900),
            (.server, 120, 120), (.server, 1e9, 3600), (.server, .nan, 1), (.server, -5, 1),
        ] as [(FenceFetchFailure.Kind, Double?, Double)])
    func floors(kind: FenceFetchFailure.Kind, retryAfter: Double?, wait: Double) throws {
        var bench = try CoverageBench.synced(nil)
        #expect(try bench.fix(at: 90_000).request != nil)
        bench.fail(kind, random: 0, retryAfter: retryAfter)
        #expect(bench.tick(wait - 0.1).request == nil)
        #expect(bench.tick(0.2).request != nil)
    }

    @Test("a push asks at once, also one that comes while an answer is under way")
    func push() throws {
        var bench = try CoverageBench.synced(nil)
        bench.coverage.configurationPushed()
        #expect(bench.tick().request?.reason == .push)
        bench.coverage.configurationPushed()
        #expect(bench.tick().request == nil)
        _ = bench.answer(nil)
        #expect(bench.tick().request?.reason == .push)
        _ = bench.answer(nil)
        #expect(bench.tick().request == nil)
    }

    @Test("the server's time until the next sync holds, else six hours")
    func age() throws {
        var bench = try CoverageBench()
        _ = try bench.fix(at: 0)
        _ = bench.answer(nil, seconds: 600)
        #expect(bench.tick(599).request == nil)
        #expect(bench.tick(1).request?.reason == .age)
        _ = bench.answer(nil)
        #expect(bench.tick(21_599).request == nil)
        #expect(bench.tick(1).request?.reason == .age)
    }
}
