import Foundation
import Geodesy
import Geofencing
import Testing
import Timekeeping

@Suite("The coverage guard")
struct CoverageGuardTests {
    @Test("an answer that is too large makes the next question smaller, down to one fence")
    func tooLarge() throws {
        var bench = try CoverageBench()
        var asked: [Int] = []
        for _ in 0..<400 where asked.last != 1 {
            if let request = try bench.fix(at: 0).request {
                asked.append(request.pool)
                bench.fail(.tooLarge)
            }
        }
        #expect(asked == [100, 25, 6, 1])
        var request: SyncRequest?
        for _ in 0..<400 where request == nil { request = try bench.fix(at: 0).request }
        #expect(request?.pool == 1)
        // The first fence that was left out is near: nothing helps but asking every 50 m.
        _ = bench.answer(60)
        #expect(bench.coverage.status == .dense)
        for _ in 0..<60 { #expect(try bench.fix(at: 0).request == nil) }
        #expect(try bench.fix(at: 51).request?.pool == 1)
        _ = bench.answer(60)
        // An hour later it is tried with as many as before.
        bench.seconds += 3600
        #expect(try bench.fix(at: 102).request.map { $0.pool >= 100 } == true)
    }

    @Test("the first good fix asks, once, for 100 fences")
    func start() throws {
        var bench = try CoverageBench()
        #expect(bench.coverage.status == .none)
        #expect(bench.tick().request == nil)
        let request = try #require(try bench.fix(at: 0).request)
        #expect(request.reason == .start)
        #expect(request.pool == 100)
        #expect(try bench.fix(at: 5000).request == nil)
        #expect(bench.answer(3000) == [])
        #expect(bench.coverage.status == .covered)
        // The anchor is where the question came from, not where the answer found the device.
        #expect(bench.coverage.displacementMeters.map { abs($0 - 5000) < 0.01 } == true)
    }

    @Test(
        "the next sync is due at T: the wish, or R less both errors and the way until the answer",
        arguments: [
            // R, refresh, accuracy, speed, T; the interval is 1 s and a sync lasts 10 s.
            (nil, 1000.0, 8.0, nil, 1000.0), (nil, nil, 8, nil, 1000), (nil, 5000, 8, 33, 5000),
            (10_000, 1000, 8, nil, 1000), (1000, 1000, 8, nil, 999 - 50 - 110),
            (1000, 1000, 8, 33, 999 - 50 - 363), (1000, 1000, 20, nil, 999 - 100 - 110),
            (250, 1000, 8, nil, 249.75 - 160), (200, 1000, 8, nil, 50), (0, 1000, 8, nil, 50),
            (nil, 10, 8, nil, 50),
        ] as [(Double?, Double?, Double, Double?, Double)])
    func threshold(
        radius: Double?, refresh: Double?, accuracy: Double, speed: Double?, expected: Double
    ) throws {
        var bench = try CoverageBench()
        bench.accuracy = accuracy
        bench.speed = speed
        _ = try bench.fix(at: 0)
        _ = bench.answer(radius, refresh: refresh)
        #expect(abs((bench.coverage.thresholdMeters ?? 0) - expected) < 1e-6)
        guard expected > 50 else { return }
        #expect(try bench.fix(at: expected - 0.5).request == nil)
        #expect(try bench.fix(at: expected + 0.5).request?.reason == .distance)
    }

    @Test("displacement is compared with at least: exactly T asks")
    func atLeast() throws {
        var bench = try CoverageBench.synced(nil, refresh: 100)
        _ = try bench.fix(at: 99.5)
        #expect(bench.coverage.displacementMeters.map { $0 < 100 } == true)
        bench = try CoverageBench.synced(nil, refresh: 100)
        let far = try bench.fix(at: 100.000_001)
        #expect(far.request?.reason == .distance)
    }

    @Test(
        "the coverage radius bounds T, less the errors of both places and the way until an answer",
        arguments: [
            // R 2,000 m: 2,000 x 0.999 - 25 - 25 - v x (1 + 10).
            (radius: 2000.0, speed: 0.0, accuracy: 8.0, wish: 5000.0, threshold: 1838.0),
            (2000, 30, 8, 5000, 1618), (2000, 0, 40, 5000, 1688), (2000, 0, 8, 900, 900),
            (250, 0, 8, 5000, 89.75),
        ])
    func radiusBounds(
        radius: Double, speed: Double, accuracy: Double, wish: Double, threshold: Double
    ) throws {
        var bench = try CoverageBench()
        bench.speed = speed
        bench.accuracy = accuracy
        _ = try bench.fix(at: 0)
        _ = bench.answer(radius, refresh: wish)
        let found = try #require(bench.coverage.thresholdMeters)
        #expect(abs(found - threshold) < 1e-6)
        #expect(try bench.fix(at: threshold - 1).request == nil)
        #expect(try bench.fix(at: threshold + 1).request?.reason == .distance)
    }

    @Test("a short interval between fixes is the median: an outage does not shorten T")
    func interval() throws {
        var bench = try CoverageBench.synced(2000, refresh: 5000)
        for _ in 0..<6 { _ = try bench.fix(at: 0) }
        let usual = bench.coverage.thresholdMeters
        bench.seconds += 3600
        _ = try bench.fix(at: 0)
        #expect(bench.coverage.thresholdMeters == usual)
    }

    @Test("dense fences double the pool up to 500, then T is 50 m and the status says so")
    func dense() throws {
        var bench = try CoverageBench()
        var pools: [Int] = []
        _ = try bench.fix(at: 0)
        _ = bench.answer(120)
        for _ in 0..<10 {
            if let request = try bench.fix(at: 0).request {
                #expect(request.reason == .pool)
                pools.append(request.pool)
                _ = bench.answer(120)
            }
        }
        #expect(pools == [200, 400, 500])
        #expect(bench.coverage.status == .dense)
        #expect(bench.coverage.thresholdMeters == 50)
        #expect(try bench.fix(at: 49).request == nil)
        #expect(try bench.fix(at: 51).request?.pool == 500)
        // With R / 1.5 the half would do: 400 / 1.5 - 50 - 110 > 50.
        _ = bench.answer(400)
        #expect(bench.coverage.status == .covered)
        #expect(try bench.fix(at: 1000).request?.pool == 250)
        _ = bench.answer(300)
        #expect(try bench.fix(at: 2000).request?.pool == 250)
    }

    @Test("a parked device asks by age alone, in any coverage")
    func parked() throws {
        for radius in [nil, 20_000, 300, 120, 30, 0] as [Double?] {
            var bench = try CoverageBench.synced(radius)
            var requests: [SyncRequest.Reason] = []
            for step in 0..<20_000 {
                // 20 m of noise.
                if let request = try bench.fix(at: Double(step % 5) * 4).request {
                    requests.append(request.reason)
                    _ = bench.answer(radius)
                }
            }
            #expect(requests.filter { $0 != .pool } == [], "\(radius ?? -1)")
            #expect(requests.count <= 3)
            bench.seconds += 2000
            #expect(try bench.fix(at: 0).request?.reason == .age)
        }
    }

    @Test("coverage is lost once and restored once, by an answer alone")
    func lostAndRestored() throws {
        var bench = try CoverageBench.synced(1000)
        #expect(try bench.fix(at: 840).request?.reason == .distance)
        #expect(try bench.fix(at: 948).signals == [])
        // 949 + 25 + 25 reaches 1000 less a thousandth.
        #expect(try bench.fix(at: 949.1).signals == [.lost])
        #expect(bench.coverage.status == .lost)
        #expect(try bench.fix(at: 960).signals == [])
        bench.fail()
        #expect(try bench.fix(at: 0).signals == [])
        #expect(bench.coverage.status == .lost)
        bench.seconds += 60
        #expect(try bench.fix(at: 970).request != nil)
        #expect(bench.answer(1000) == [.restored])
        #expect(bench.coverage.status == .covered)
        #expect(bench.answer(1000) == [])
    }

    @Test("an answer that does not reach the device restores nothing")
    func stillLost() throws {
        var bench = try CoverageBench.synced(1000)
        _ = try bench.fix(at: 900)
        #expect(try bench.fix(at: 2000).signals == [.lost])
        // The question came from 900; the device is at 2,000.
        #expect(bench.answer(1000) == [])
        #expect(bench.coverage.status == .lost)
        #expect(try bench.fix(at: 2000).request?.reason == .distance)
        #expect(bench.answer(1000) == [.restored])
    }

    @Test(
        "an answer beyond which there is nothing is asked for again by distance and age, never lost"
    )
    func nothingBeyond() throws {
        var bench = try CoverageBench()
        _ = try bench.fix(at: 0)
        #expect(bench.answer(nil, refresh: 1_000, seconds: 21_600) == [])
        #expect(bench.coverage.status == .complete)
        #expect(try bench.fix(at: 990) == CoverageStep())
        #expect(bench.tick(21_590) == CoverageStep())
        #expect(bench.tick(10).request?.reason == .age)
        bench.fail(.server)
        for kilometers in stride(from: 10.0, through: 90, by: 10) {
            #expect(try bench.fix(at: kilometers * 1_000).signals == [])
        }
        #expect(bench.coverage.status == .complete)
    }
}
