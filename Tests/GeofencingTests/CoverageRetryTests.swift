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
        bench.coverage.networkChanged(hasRoute: true, at: bench.now, random: 0.2)
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

    /// The kind of failure, and what the network does before, during and after the sync.
    static let losses: [(FenceFetchFailure.Kind, [Bool], [Bool], [Bool])] = [
        (.local, [false], [], [true]), (.server, [false], [], [true]),
        (.server, [], [false], [true]),
        (.server, [], [false, true], []),
    ]

    @Test(
        "without a route there is a try every five minutes, and its return ends the wait",
        arguments: 0..<4)
    func noRoute(index: Int) throws {
        let (kind, before, during, after) = Self.losses[index]
        var bench = try CoverageBench.synced(nil)
        for _ in 0..<6 {
            bench.coverage.configurationPushed()
            bench.seconds += 1000
            #expect(try bench.fix(at: 90_000).request != nil)
            bench.fail(.server)
        }
        bench.seconds += 1000
        for hasRoute in before {
            bench.coverage.networkChanged(hasRoute: hasRoute, at: bench.now, random: 0.2)
        }
        #expect(try bench.fix(at: 90_000).request != nil)
        for hasRoute in during {
            bench.coverage.networkChanged(hasRoute: hasRoute, at: bench.now, random: 0.2)
        }
        bench.fail(kind, isUnanswered: true)
        if !after.isEmpty {
            #expect(bench.tick(299).request == nil)
            for hasRoute in after {
                bench.coverage.networkChanged(hasRoute: hasRoute, at: bench.now, random: 0.2)
            }
        }
        #expect(bench.tick(1.9).request == nil)
        #expect(bench.tick(0.2).request != nil)
    }

    @Test("without a route, and without a word of one, a try comes after five minutes")
    func noRouteProbe() throws {
        var bench = try CoverageBench.synced(nil)
        bench.coverage.networkChanged(hasRoute: false, at: bench.now, random: 0.2)
        #expect(try bench.fix(at: 90_000).request != nil)
        bench.fail(isUnanswered: true)
        #expect(bench.tick(299.9).request == nil)
        #expect(bench.tick(0.2).request != nil)
        // An answer shows that there is a way all the same.
        bench.fail(.server)
        #expect(bench.tick(30).request != nil)
    }

    @Test("a server that refuses the device's uploads is not asked for fences before their probe")
    func paused() throws {
        var bench = try CoverageBench.synced(nil)
        bench.coverage.pause(until: bench.now.advanced(byMilliseconds: 900_000))
        #expect(try bench.fix(at: 90_000).request == nil)
        #expect(bench.tick(898.9).request == nil)
        #expect(bench.tick(0.2).request != nil)
        bench.fail()
        bench.coverage.pause(until: bench.now.advanced(byMilliseconds: 900_000))
        bench.coverage.pause(until: nil)
        #expect(bench.tick(31).request != nil)
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
