import Geofencing
import Testing

/// A fix of a table: second, metres inside, speed.
typealias Sample = (t: Double, s: Double, v: Double)

@Suite("Arrival rows")
struct ArrivalRowTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var samples: [Sample]
        /// Second of the confirming fix; nil: no arrival.
        var enters: Double?
        var rule: String?

        init(_ name: String, _ samples: [Sample], enters: Double?, _ rule: String? = nil) {
            self.name = name
            self.samples = samples
            self.enters = enters
            self.rule = rule
        }

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row("decisive at once", [(0, 10.01, 2)], enters: 0, "decisive"),
        Row("not quite decisive", [(0, 9.99, 2)], enters: nil),
        Row("on the edge", [(0, 0, 5), (2, -0.01, 5), (4, -0.01, 5)], enters: nil),
        Row("fast, two fixes over 2 s", [(0, 1, 3), (2, 1, 3)], enters: 2, "fast_repeated"),
        Row("fast, two fixes over less", [(0, 1, 3), (1.9, 1, 3)], enters: nil),
        Row("fast, third fix completes the span", [(0, 1, 3), (1, 1, 3), (2, 1, 3)], enters: 2),
        Row("just not fast", [(0, 1, 2.9), (2, 1, 2.9), (4, 1, 2.9)], enters: nil),
        Row("fast, interrupted", [(0, 1, 3), (1, -1, 3), (2, 1, 3), (3, 1, 3)], enters: nil),
        Row("slow mean", [(0, 5.1, 2), (5, 5.1, 2), (10, 5.1, 2)], enters: 10, "slow_mean"),
        Row("slow, span too short", [(0, 5.1, 2), (5, 5.1, 2), (9.9, 5.1, 2)], enters: nil),
        Row("slow, two fixes", [(0, 5.1, 2), (10, 5.1, 2)], enters: nil),
        Row("slow, mean too near", [(0, 4.9, 2), (5, 4.9, 2), (10, 4.9, 2)], enters: nil),
        Row("slow, mean of unequal", [(0, 1, 2), (5, 6, 2), (10, 9, 2)], enters: 10),
    ]

    @Test("balanced", arguments: rows)
    func balanced(row: Row) throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        for sample in row.samples { bench.fix(at: sample.t, inside: sample.s, speed: sample.v) }
        let enter = bench.log.first
        #expect(bench.log.count == (row.enters == nil ? 0 : 1))
        #expect(bench.seconds(enter?.detected) == row.enters)
        if let rule = row.rule { #expect(enter?.evidence.rule == rule) }
        #expect(enter?.isInitial != true)
    }

    @Test("eager takes any fix inside", arguments: [(0.01, true), (-0.01, false)])
    func eager(inside: Double, enters: Bool) throws {
        var bench = try TrackerBench { $0.arrival = .eager }
        bench.beginOutside()
        bench.fix(at: 0, inside: inside)
        #expect(bench.story == (enters ? ["enter A"] : []))
    }

    @Test("strict takes nothing but a decisive fix")
    func strict() throws {
        var bench = try TrackerBench { $0.arrival = .strict }
        bench.beginOutside()
        for second in 0..<20 { bench.fix(at: Double(second), inside: 9.9, speed: 4) }
        #expect(bench.story.isEmpty)
        bench.fix(at: 20, inside: 10.1, speed: 4)
        #expect(bench.story == ["enter A"])
    }

    @Test("a coarse fix proves no arrival and begins no run")
    func coarse() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        for second in 0..<20 {
            bench.fix(at: Double(second), inside: 99, accuracy: 150, verdict: .departOnly)
        }
        #expect(bench.story.isEmpty)
    }

    @Test("without a speed the displacement over two seconds stands in")
    func displacementSpeed() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        // 4 m/s towards the centre, from 9 m outside.
        for second in 0..<6 {
            bench.fix(at: Double(second), inside: -9 + 4 * Double(second), accuracy: 20, speed: nil)
        }
        // Inside from second 3 on; two fast fixes span two seconds at second 5.
        #expect(bench.seconds(bench.log.first?.detected) == 5)
        #expect(bench.log.first?.evidence.rule == "fast_repeated")
    }

    @Test("the crossing is interpolated between close fixes, else the fix counts")
    func occurrence() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        bench.fix(at: -1, inside: -15, speed: 20)
        bench.fix(at: 0, inside: 15, speed: 20)
        let crossing = try #require(bench.seconds(bench.log.first?.occurred))
        #expect(abs(crossing + 0.5) < 0.01)
        #expect(bench.log.first?.detected.utc == bench.log.first?.fix.time)

        var apart = try TrackerBench()
        apart.beginOutside()
        apart.fix(at: 0, inside: 15, speed: 20)
        #expect(apart.seconds(apart.log.first?.occurred) == 0)
        #expect((apart.log.first?.occurredUncertaintySeconds ?? 0) >= 50)
    }
}

@Suite("Rows of an unknown state")
struct SettlingTests {
    @Test(
        "one decisive fix or two agreeing ones settle it",
        arguments: [
            ([10.1], ["enter A initial"]), ([9.9], []), ([0.1, 0.1], ["enter A initial"]),
            ([0.1, -0.1, 0.1], []), ([-10.1, 20], ["enter A"]), ([-0.1, -0.1, 20], ["enter A"]),
            ([-0.1, 20], ["enter A initial"]), ([-9.9, 20], ["enter A initial"]),
        ])
    func settling(distances: [Double], story: [String]) throws {
        var bench = try TrackerBench()
        for (index, distance) in distances.enumerated() {
            bench.fix(at: Double(index), inside: distance)
        }
        #expect(bench.story == story)
    }

    @Test("coarse fixes and fixes of the warm-up settle nothing")
    func noSeeds() throws {
        var bench = try TrackerBench()
        bench.fix(at: 0, inside: 99, accuracy: 150, verdict: .departOnly)
        bench.fix(at: 1, inside: 99, seedsState: false)
        bench.fix(at: 2, inside: 99, seedsState: false)
        #expect(bench.story.isEmpty)
        bench.fix(at: 3, inside: 99)
        #expect(bench.story == ["enter A initial"])
    }

    @Test("from 15 s of rest on the mean settles it, not the fix")
    func settledMean() throws {
        var bench = try TrackerBench()
        for second in 0..<15 {
            bench.fix(
                at: Double(second), inside: second % 2 == 0 ? -5 : 5, accuracy: 20, speed: 0,
                seedsState: false)
        }
        bench.fix(at: 15, inside: 25, accuracy: 20, speed: 0)
        #expect(bench.story.isEmpty, "the mean is about 2 m inside, far from decisive")
        bench.fix(at: 16, inside: 25, accuracy: 20, speed: 0)
        #expect(bench.story == ["enter A initial"], "twice inside by the mean")
    }

    @Test(
        "the policy decides what a start inside means",
        arguments: [
            (Fence.InitialEnter.eventOnly, true, false), (.notify, true, true),
            (.silent, false, false),
        ])
    func policy(policy: Fence.InitialEnter, isReported: Bool, mayNotify: Bool) throws {
        var bench = try TrackerBench { $0.initialEnter = policy }
        bench.beginInside()
        let enter = try #require(bench.log.first)
        #expect(enter.isInitial)
        #expect(enter.isReported == isReported)
        #expect(enter.mayNotify == mayNotify)
        for second in 0..<5 { bench.fix(at: Double(second) - 30, inside: -60) }
        #expect(bench.story == ["enter A initial", "exit A"])
    }
}
