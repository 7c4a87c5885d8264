import Geofencing
import Testing

@Suite("Departure rows")
struct DepartureRowTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var accuracy: Double
        var samples: [(t: Double, s: Double)]
        var exits: Double?

        init(_ name: String, accuracy: Double, _ samples: [(Double, Double)], exits: Double?) {
            self.name = name
            self.accuracy = accuracy
            self.samples = samples.map { (t: $0.0, s: $0.1) }
            self.exits = exits
        }

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row("two fixes over 2 s", accuracy: 10, [(0, -20.1), (2, -20.1)], exits: 2),
        Row("one fix", accuracy: 10, [(0, -500)], exits: nil),
        Row("span too short", accuracy: 10, [(0, -500), (1.9, -500)], exits: nil),
        Row("within the margin", accuracy: 10, [(0, -19.9), (2, -19.9), (4, -19.9)], exits: nil),
        Row("interrupted", accuracy: 10, [(0, -30), (1, -10), (2, -30), (3, -30)], exits: nil),
        Row("margin at least 5 m", accuracy: 3, [(0, -8.1), (2, -8.1)], exits: 2),
        Row("margin at least 5 m, within", accuracy: 3, [(0, -7.9), (2, -7.9)], exits: nil),
        Row("margin at most 20 m", accuracy: 50, [(0, -70.1), (2, -70.1)], exits: 2),
        Row("margin at most 20 m, within", accuracy: 50, [(0, -69.9), (2, -69.9)], exits: nil),
    ]

    @Test("in motion", arguments: rows)
    func moving(row: Row) throws {
        var bench = try TrackerBench()
        bench.beginInside()
        for sample in row.samples {
            bench.fix(at: sample.t, inside: sample.s, accuracy: row.accuracy)
        }
        let exit = bench.log.dropFirst().first
        #expect(bench.log.count == (row.exits == nil ? 1 : 2))
        #expect(bench.seconds(exit?.detected) == row.exits)
        if row.exits != nil { #expect(exit?.evidence.rule == "margin") }
    }

    @Test("a cap bounds the accuracy of the exit rows")
    func cap() throws {
        var bench = try TrackerBench { $0.exitAccuracyCapMeters = 20 }
        bench.beginInside()
        for second in [0.0, 2] { bench.fix(at: second, inside: -40.1, accuracy: 90) }
        #expect(bench.story == ["enter A initial", "exit A"])
    }

    @Test("a coarse fix may prove a departure")
    func coarse() throws {
        var bench = try TrackerBench()
        bench.beginInside()
        bench.fix(at: 0, inside: -169, accuracy: 150, verdict: .departOnly)
        bench.fix(at: 2, inside: -169, accuracy: 150, verdict: .departOnly)
        #expect(bench.story == ["enter A initial"])
        bench.fix(at: 4, inside: -171, accuracy: 150, verdict: .departOnly)
        bench.fix(at: 6, inside: -171, accuracy: 150, verdict: .departOnly)
        #expect(bench.story == ["enter A initial", "exit A"])
    }

    @Test("time alone ends nothing")
    func silence() throws {
        var bench = try TrackerBench()
        bench.beginInside()
        bench.void(at: 0)
        #expect(bench.tracker.advance(to: .init(milliseconds: 100_000_000)).isEmpty)
        #expect(bench.story == ["enter A initial"])
    }

    @Test("an exit is dated at the last crossing since its enter, and lasts from there")
    func occurrence() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        // In at -9.5, jitter over the edge, out at 10.5.
        for second in -12...20 {
            let time = Double(second)
            let inside = second < 0 ? 10 * (time + 9.5) : 10 * (10.5 - time)
            bench.fix(at: time, inside: min(inside, 60), accuracy: 5, speed: 10)
        }
        #expect(bench.story == ["enter A", "exit A"])
        let enter = try #require(bench.seconds(bench.log[0].occurred))
        let exit = try #require(bench.seconds(bench.log[1].occurred))
        #expect(abs(enter + 9.5) < 0.05)
        #expect(abs(exit - 10.5) < 0.05)
        #expect(abs((bench.log[1].durationSeconds ?? 0) - 20) < 0.1)
    }

    @Test("a crossing from before the enter is not used again")
    func staleCrossing() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        // In and out again on the edge, not enough for an arrival; then an outage, and inside.
        bench.fix(at: -3, inside: -3, speed: 2)
        bench.fix(at: -2, inside: 3, speed: 2)
        bench.fix(at: -1, inside: -3, speed: 2)
        bench.fix(at: 100, inside: 50, speed: 2)
        bench.fix(at: 300, inside: -50, speed: 2)
        bench.fix(at: 302, inside: -50, speed: 2)
        #expect(bench.story == ["enter A", "exit A"])
        #expect((bench.log[1].durationSeconds ?? -1) >= 0)
        #expect(bench.seconds(bench.log[0].occurred) == 100)
        #expect(bench.seconds(bench.log[1].occurred) == 302)
    }
}

@Suite("Rest")
struct StationaryTests {
    /// Outside, then at rest `inside` metres inside from second 0 on.
    private func bench(
        restingAt inside: Double, accuracy: Double, seconds: Int, from start: Int = 0
    ) throws -> TrackerBench {
        var bench = try TrackerBench()
        bench.beginOutside()
        for second in start..<seconds {
            bench.fix(at: Double(second), inside: inside, accuracy: accuracy, speed: 0.1)
        }
        return bench
    }

    @Test("nothing arrives in the first 15 s, the mean does then")
    func settles() throws {
        #expect(try bench(restingAt: 50, accuracy: 10, seconds: 15).story.isEmpty)
        let settled = try bench(restingAt: 50, accuracy: 10, seconds: 16)
        #expect(settled.story == ["enter A"])
        #expect(settled.log.first?.evidence.rule == "stationary_mean")
        #expect(settled.log.first?.evidence.isStationary == true)
    }

    @Test("the mean's accuracy shrinks with time")
    func shrinks() throws {
        // 0.7 x 20 / sqrt(1 + T/60) reaches 10 m at T = 57.6 s.
        let bench = try bench(restingAt: 10, accuracy: 20, seconds: 120)
        #expect(bench.story == ["enter A"])
        #expect(bench.seconds(bench.log.first?.detected) == 58)
    }

    @Test("the mean arrives while the fix stays outside, though the device does not move at all")
    func meanNearerThanFix() throws {
        var bench = try bench(restingAt: 8.25, accuracy: 20, seconds: 100)
        #expect(bench.story.isEmpty)
        // 0.7 x accEff sinks faster with T than the mean is drawn out by a fix in 10 s.
        for step in 0..<6 {
            bench.fix(at: 109 + Double(step) * 10, inside: -1.5, accuracy: 20, speed: 0.1)
        }
        #expect(bench.story == ["enter A"])
        #expect(bench.seconds(bench.log.first?.detected) == 129)
    }

    @Test("the mean's accuracy never falls below 3 m")
    func floor() throws {
        #expect(try bench(restingAt: 2.09, accuracy: 5, seconds: 290).story.isEmpty)
        #expect(try bench(restingAt: 2.11, accuracy: 5, seconds: 290).story == ["enter A"])
    }

    @Test("after 300 s nothing changes until the rest ends")
    func latch() throws {
        var bench = try bench(restingAt: -1, accuracy: 5, seconds: 301)
        // Half a minute of drift by 15 m is within what restarts the mean.
        for second in 301..<700 {
            bench.fix(at: Double(second), inside: 14, accuracy: 5, speed: 0.1)
        }
        #expect(bench.story.isEmpty)
        bench.fix(at: 700, inside: 14, accuracy: 5, speed: 2.5)
        #expect(bench.story.isEmpty)
        bench.fix(at: 701, inside: 14, accuracy: 5, speed: 2.5)
        #expect(bench.story == ["enter A"], "two fixes over 2 m/s end the rest")
    }

    @Test("a mean that moved away restarts from its last minute")
    func restarts() throws {
        var bench = try bench(restingAt: -30, accuracy: 5, seconds: 120)
        for second in 120..<400 {
            let inside = min(-30 + 0.5 * Double(second - 120), 60)
            bench.fix(at: Double(second), inside: inside, accuracy: 5, speed: 0.5)
        }
        #expect(bench.story == ["enter A"])
        let detected = try #require(bench.seconds(bench.log.first?.detected))
        #expect(detected > 180 && detected < 290)
    }

    @Test("three fixes of a minute restart the mean, also at 30 s between them")
    func restartsSparse() throws {
        var bench = try TrackerBench()
        for step in 0..<6 { bench.fix(at: Double(step) * 30 - 180, inside: -500) }
        for step in 0..<4 {
            bench.fix(at: Double(step) * 30, inside: -60, accuracy: 5, speed: 0)
        }
        // Carried 45 m on, still outside; its mean alone would take long to follow.
        for step in 4..<7 {
            bench.fix(at: Double(step) * 30, inside: -15, accuracy: 5, speed: 0.5)
        }
        for step in 7..<10 {
            bench.fix(at: Double(step) * 30, inside: 30, accuracy: 5, speed: 0.5)
        }
        #expect(bench.story == ["enter A"])
        #expect((bench.seconds(bench.log.first?.detected) ?? 999) <= 270)
    }

    @Test("an arrival found by the mean has the crossing before the stop")
    func crossing() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        bench.fix(at: -2, inside: -6, accuracy: 15, speed: 4)
        bench.fix(at: -1, inside: -2, accuracy: 15, speed: 4)
        bench.fix(at: 0, inside: 8, accuracy: 15, speed: 0.5)
        for second in 1..<60 { bench.fix(at: Double(second), inside: 8, accuracy: 15, speed: 0) }
        #expect(bench.story == ["enter A"])
        let crossing = try #require(bench.seconds(bench.log.first?.occurred))
        #expect(crossing > -1 && crossing < 0)
    }

    @Test("a crossing from before an arrival found by the mean does not date the exit")
    func crossingBeforeArrival() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        bench.fix(at: -3, inside: 1)
        bench.fix(at: -2, inside: -1)
        for second in 0..<15 { bench.fix(at: Double(second), inside: -2, speed: 0) }
        for second in 15..<60 { bench.fix(at: Double(second), inside: 12, speed: 0) }
        for second in 60..<200 { bench.fix(at: Double(second), inside: -60, speed: 0) }
        #expect(bench.story == ["enter A", "exit A"])
        #expect((bench.log.last?.durationSeconds ?? -1) >= 0)
    }

    @Test("leaving at a crawl is found by the mean, and needs its margin")
    func leaves() throws {
        var bench = try TrackerBench()
        bench.beginInside()
        for second in 0..<60 { bench.fix(at: Double(second), inside: -12, accuracy: 10, speed: 0) }
        #expect(bench.story == ["enter A initial"])
        // accEff = 10 / sqrt 2 at T = 60 s: 14.1 m to go beyond.
        for second in 60..<280 {
            bench.fix(at: Double(second), inside: -16, accuracy: 10, speed: 0)
        }
        #expect(bench.story == ["enter A initial", "exit A"])
        #expect(bench.log[1].evidence.rule == "stationary_margin")
    }

    @Test("coarse fixes join the mean for departures only")
    func coarseMean() throws {
        var bench = try TrackerBench()
        bench.beginInside()
        bench.fix(at: 0, inside: 20, accuracy: 10, speed: 0)
        for second in 1..<200 {
            bench.fix(
                at: Double(second), inside: -290, accuracy: 200, speed: 0, verdict: .departOnly)
        }
        #expect(bench.story == ["enter A initial", "exit A"])
    }

    @Test("an outage counts neither in T nor for the latch")
    func outage() throws {
        var bench = try bench(restingAt: -1, accuracy: 5, seconds: 20)
        // Ten hours of darkness, then half an hour of light 6 m inside: not latched, so found.
        for second in 36_000..<36_100 {
            bench.fix(at: Double(second), inside: 6, accuracy: 5, speed: 0)
        }
        #expect(bench.story == ["enter A"])
    }

    @Test("T is at most a minute for each further fix")
    func sparse() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        // One fix in ten minutes: after three of them T is 2 min, not 20.
        for step in 0..<8 {
            bench.fix(at: Double(step) * 600, inside: 6.2, accuracy: 16, speed: 0)
        }
        // 0.7 x 16 / sqrt(1 + T/60 s) <= 6.2 needs T >= 136 s: the fourth fix. The first two
        // intervals are outages, since none is known to be usual yet.
        #expect(bench.story == ["enter A"])
        #expect((bench.seconds(bench.log.first?.detected) ?? 0) >= 1800)
    }
}
