import Foundation
import Geodesy
import Geofencing
import Simulation
import Testing

@Suite("The coverage guarantee")
struct CoverageGuaranteeTests {
    /// Seeds for each world; more in a release build: `GEOFENCED_SEEDS=200`.
    static let seeds =
        ProcessInfo.processInfo.environment["GEOFENCED_SEEDS"].flatMap(UInt64.init) ?? 1

    struct Row: Sendable, CustomTestStringConvertible {
        var density: World.Density
        /// 500 sparse, 2,000 dense, 600 or 2,000 in towns.
        var count: Int
        var periodSeconds: Double
        var lossShare: Double

        var testDescription: String {
            "\(count) \(density.rawValue), a fix every \(periodSeconds) s, \(lossShare) of the syncs lost"
        }
    }

    static let rows = [
        (World.Density.sparse, 500), (.dense, 2000), (.clustered, 600), (.clustered, 2000),
    ].flatMap { density, count in
        [(1.0, 0.0), (1.0, 1 / 3.0), (30.0, 0.0), (30.0, 1 / 3.0)].map {
            Row(density: density, count: count, periodSeconds: $0.0, lossShare: $0.1)
        }
    }

    static let anchors = [
        Coordinate(latitude: 48.1, longitude: 11.5), Coordinate(latitude: -17, longitude: 179.99),
        Coordinate(latitude: 69, longitude: -33),
    ].compactMap { $0 }

    @Test(
        "no fence holds the device without being monitored, outside coverage_lost ... restored",
        arguments: rows)
    func guarantee(row: Row) throws {
        var total = CoverageWorld.Result()
        for seed in 1...Self.seeds {
            let place = World(
                row.density, center: Self.anchors[Int(seed) % Self.anchors.count],
                count: row.count, seed: seed)
            var world = try CoverageWorld(
                place, periodSeconds: row.periodSeconds, lossShare: row.lossShare,
                refreshMeters: seed % 2 == 0 ? 1000 : 20_000)
            let result = try world.run(seconds: row.periodSeconds == 1 ? 600 : 8_000)
            #expect(result.unknown == [], "seed \(seed), \(row)")
            #expect(result.missed == [], "seed \(seed), \(row)")
            // Each once, in turn.
            for (index, signal) in result.signals.enumerated() {
                #expect(signal == (index % 2 == 0 ? .lost : .restored), "seed \(seed), \(row)")
            }
            total.fixes += result.fixes
            total.kilometers += result.kilometers
            total.syncs += result.syncs
            total.lostFixes += result.lostFixes
            total.held += result.held
            total.missed += result.unknown + result.missed
        }
        let rate = Double(total.syncs) / total.kilometers
        print(
            "\(row.testDescription): seeds 1...\(Self.seeds), \(Int(total.kilometers)) km,",
            "\((rate * 100).rounded() / 100) syncs per km, \(total.lostFixes) of",
            "\(total.fixes) fixes without coverage, \(total.missed.count) of \(total.held) missed")
        #expect(total.held > 10)
        #expect(Double(total.lostFixes) < 0.2 * Double(total.fixes))
    }
}
