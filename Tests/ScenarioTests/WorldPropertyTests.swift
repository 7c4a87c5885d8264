import Foundation
import Geofencing
import Simulation
import Testing

/// Properties of geofencing.md, section 8, over hours of driving through seeded worlds.
///
/// `GEOFENCED_SEEDS` asks for 40 times so many seeds of 1 h each, for 200 at most, as CI does;
/// `GEOFENCED_LONG` for 10 seeds of 12 h.
@Suite("Seeded worlds")
struct WorldPropertyTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isLong = environment["GEOFENCED_LONG"] != nil
    private static let asked = environment["GEOFENCED_SEEDS"].map { UInt64($0) ?? 5 }
    private static let seeds: UInt64 = isLong ? 10 : asked.map { 40 * min(max($0, 1), 5) } ?? 1
    private static let hours = isLong ? 12 : environment["GEOFENCED_SEEDS"] == nil ? 0.25 : 1
    private static let chunk: UInt64 = isLong ? 1 : 25

    struct Row: Sendable, CustomTestStringConvertible {
        var density: World.Density
        var count: Int
        var seeds: ClosedRange<UInt64>

        var testDescription: String {
            "\(count) \(density.rawValue), seeds \(seeds.lowerBound) to \(seeds.upperBound)"
        }

        func setting(_ seed: UInt64) -> PipelineWorld.Setting {
            PipelineWorld.Setting(density: density, count: count, seed: seed, hours: hours)
        }
    }

    static let rows = [(World.Density.sparse, 500), (.dense, 2000), (.clustered, 600)].flatMap {
        density, count in
        stride(from: 1, through: seeds, by: Int(chunk)).map {
            Row(density: density, count: count, seeds: $0...min(seeds, $0 + chunk - 1))
        }
    }

    @Test(
        "every entry is found and none invented: the same events as with all fences monitored",
        arguments: rows)
    func oracle(row: Row) throws {
        var total = PipelineWorld.Outcome()
        for seed in row.seeds {
            var world = try PipelineWorld(row.setting(seed))
            let outcome = try world.run()
            #expect(outcome.differences == [], "seed \(seed), \(row)")
            checkBalance(outcome.transitions, seed)
            for (index, signal) in outcome.signals.enumerated() {
                #expect(signal == (index % 2 == 0 ? .lost : .restored), "seed \(seed), \(row)")
            }
            total.fixes += outcome.fixes
            total.lostFixes += outcome.lostFixes
            total.syncs += outcome.syncs
            total.kilometers += outcome.kilometers
            total.compared += outcome.compared
            total.differences += outcome.differences
        }
        let rate = (Double(total.syncs) / max(total.kilometers, 0.1) * 100).rounded() / 100
        print(
            "\(row.testDescription), \(Self.hours) h each, a third of the syncs lost:",
            "\(Int(total.kilometers)) km, \(rate) syncs per km, \(total.lostFixes) of",
            "\(total.fixes) fixes without coverage, \(total.compared) events compared,",
            "\(total.differences.count) differences")
        #expect(total.compared > 0)
        #expect(Double(total.lostFixes) < 0.2 * Double(total.fixes))
    }

    @Test(
        "the same where the process is killed before every thirtieth fix and the next one goes on",
        arguments: rows)
    func killed(row: Row) throws {
        var total = PipelineWorld.Outcome()
        for seed in row.seeds.prefix(5) {
            var setting = row.setting(seed)
            setting.killShare = 1 / 30.0
            var world = try PipelineWorld(setting)
            let outcome = try world.run()
            #expect(outcome.differences == [], "seed \(seed), \(row)")
            checkBalance(outcome.transitions, seed)
            total.kills += outcome.kills
            total.compared += outcome.compared
            total.differences += outcome.differences
        }
        print(
            "\(row.testDescription), at most five of them: \(total.kills) kills,",
            "\(total.compared) events compared, \(total.differences.count) differences")
        #expect(total.kills > 20)
        #expect(total.compared > 0)
    }

    /// No exit without an enter, no dwell outside, no negative duration.
    private func checkBalance(_ transitions: [Transition], _ seed: UInt64) {
        var inside: Set<String> = []
        for transition in transitions {
            let id = transition.fenceID
            switch transition.kind {
            case .enter: #expect(inside.insert(id).inserted, "seed \(seed): \(id) twice")
            case .exit:
                #expect(inside.remove(id) != nil, "seed \(seed): \(id) left, never entered")
                #expect((transition.durationSeconds ?? 0) >= 0, "seed \(seed): \(id)")
            case .dwell: #expect(inside.contains(id), "seed \(seed): dwell outside of \(id)")
            case .pass: #expect(!inside.contains(id), "seed \(seed): pass inside of \(id)")
            }
        }
    }

    @Test(
        "the same inputs give the same decisions, and repeated or old fixes change none",
        arguments: rows)
    func repeatable(row: Row) throws {
        for seed in row.seeds where seed % 8 == 1 {
            let setting = row.setting(seed)
            var once = try PipelineWorld(setting)
            var again = try PipelineWorld(setting)
            let transitions = try once.run().transitions
            #expect(try again.run().transitions == transitions, "seed \(seed), \(row)")
            var soiled = setting
            soiled.isDirty = true
            var dirty = try PipelineWorld(soiled)
            #expect(
                try dirty.run().transitions.map(PipelineWorld.words)
                    == transitions.map(PipelineWorld.words), "seed \(seed), \(row)")
        }
    }

    @Test(
        "elsewhere, across the antimeridian and on the other hemisphere it is the same story",
        arguments: rows)
    func invariant(row: Row) throws {
        for seed in row.seeds where seed % 8 == 1 {
            var home = try PipelineWorld(row.setting(seed))
            let story = try home.run().transitions.map(Self.outline)
            for (longitude, isMirrored) in [(179.98, false), (-77.0, true), (-180, true)] {
                var setting = row.setting(seed)
                setting.longitude = longitude
                setting.isMirrored = isMirrored
                var there = try PipelineWorld(setting)
                #expect(
                    try there.run().transitions.map(Self.outline) == story,
                    "seed \(seed) at \(longitude), mirrored: \(isMirrored)")
            }
        }
    }

    private static func outline(_ transition: Transition) -> String {
        "\(transition.kind.rawValue) \(transition.fenceID) "
            + "\(transition.detected.uptime?.milliseconds ?? -1)"
    }
}
