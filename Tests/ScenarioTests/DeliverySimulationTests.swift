import FieldTools
import Foundation
import Testing

@Suite("A simulated device")
struct DeliverySimulationTests {
    /// Lots of 100 devices; 6, or as many as make GEOFENCED_SEEDS times 30.
    static let lots =
        0..<(ProcessInfo.processInfo.environment["GEOFENCED_SEEDS"]
        .flatMap(Int.init).map { max(6, $0 * 30 / 100) } ?? 6)

    @Test("delivers every event once, whatever happens", arguments: lots)
    func seeds(lot: Int) {
        var report = DeliverySimulationReport()
        for seed in (lot * 100 + 1)...(lot * 100 + 100) {
            var simulation = DeliverySimulation(seed: UInt64(seed))
            report.add(simulation.run())
        }
        #expect(report.violations.isEmpty, "\(report.text)")
    }

    @Test("meets every climate within 100 seeds, and faults in most of them")
    func climates() {
        var climates: [String: Int] = [:]
        var requests = 0
        for seed in 1...100 {
            var simulation = DeliverySimulation(seed: UInt64(seed))
            let outcome = simulation.run()
            climates[outcome.climate, default: 0] += 1
            requests += outcome.requests
        }
        #expect(
            Set(climates.keys) == [
                "mixed", "stuck", "outage", "poison", "crashes", "clocks", "overflow",
            ])
        #expect(requests > 2000)
    }

    @Test("does so with the real queue, over kills, full and damaged files", arguments: 1...24)
    func realQueue(seed: Int) throws {
        let storage = try SQLiteStorage()
        var lines: [String] = []
        var simulation = DeliverySimulation(
            seed: UInt64(seed), trace: { lines.append($0) }, storage: { storage })
        let outcome = simulation.run()
        #expect(
            outcome.violation == nil, "seed \(seed): \(lines.suffix(30).joined(separator: "\n"))")
        #expect(outcome.events > 0)
    }

    @Test("does the same every time", arguments: [3, 17, 40, 77] as [UInt64])
    func deterministic(seed: UInt64) {
        func story() -> [String] {
            var lines: [String] = []
            var simulation = DeliverySimulation(seed: seed, trace: { lines.append($0) })
            _ = simulation.run()
            return lines
        }
        let first = story()
        #expect(first.count > 10)
        #expect(first == story())
    }
}

@Suite("A fleet that comes back")
struct HerdTests {
    private let bench = HerdBench(devices: 10_000, outageSeconds: 3600, seed: 1)

    @Test("after an outage of the network is spread over ten seconds")
    func linkUp() {
        let result = bench.run(.linkUp)
        #expect((900...1200).contains(result.worstSecond))
        #expect(result.allSeconds ?? .max <= 10)
    }

    @Test("that spreads over nothing comes within one second of the outage's end")
    func linkUpAtOnce() {
        let result = bench.run(.linkUpAtOnce)
        #expect(result.worstSecond == 10_000)
        #expect(result.requests == 10_000)
        #expect(result.allSeconds == 0)
    }

    @Test("after an outage of the server comes within five minutes, 130 a second at most")
    func server() {
        let result = bench.run(.server)
        #expect(result.worstSecond <= 130)
        #expect(result.allSeconds ?? .max <= 300)
        #expect(result.requests == 10_000)
    }

    @Test(
        "is served by a server that takes a hundredth of it a second",
        arguments: [
            HerdBench.Case.weakServer, .linkUpToWeakServer,
        ])
    func weakServer(kind: HerdBench.Case) {
        let result = bench.run(kind)
        #expect(result.allSeconds ?? .max <= 900)
    }
}
