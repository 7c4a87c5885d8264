import Geofencing
import Testing
import Timekeeping

@Suite("Dwell")
struct DwellTests {
    /// Entered at second 0, moving about inside at walking pace until `until`.
    private func entered(
        dwell: Double? = 60, rules: TransitionRules = TransitionRules(), until: Int = 10,
        speed: Double = 2, inside: Double = 60
    ) throws -> TrackerBench {
        var bench = try TrackerBench(rules: rules) { $0.dwellSeconds = dwell }
        bench.beginOutside()
        for second in 0...until {
            bench.fix(at: Double(second), inside: inside, speed: speed)
        }
        return bench
    }

    @Test("it fires once, dated enter plus dwell, on a fix that shows the device inside")
    func fires() throws {
        let bench = try entered(until: 100)
        #expect(bench.story == ["enter A", "dwell A"])
        #expect(bench.seconds(bench.log[1].occurred) == 60)
        #expect(bench.seconds(bench.log[1].detected) == 60)
    }

    @Test("a fence without dwell has none, and an exit that closes no visit")
    func none() throws {
        var bench = try entered(dwell: nil, until: 100)
        for second in 101...105 { bench.fix(at: Double(second), inside: -60) }
        #expect(bench.story == ["enter A", "exit A"])
        #expect(!bench.log[1].endsVisit)
    }

    @Test("an exit after dwell ends the visit, one before does not")
    func visits() throws {
        for (until, endsVisit) in [(30, false), (70, true)] {
            var bench = try entered(until: until)
            for step in 1...4 { bench.fix(at: Double(until + step), inside: -60) }
            #expect(bench.log.last?.kind == .exit)
            #expect(bench.log.last?.endsVisit == endsVisit)
        }
    }

    @Test("a fix that does not show the device inside fires nothing")
    func needsEvidence() throws {
        var bench = try entered(until: 59)
        bench.fix(at: 60, inside: -10.5)
        bench.fix(at: 61, inside: -10.5)
        #expect(bench.story == ["enter A"])
        bench.fix(at: 62, inside: -9.5)
        #expect(bench.story == ["enter A", "dwell A"])
        #expect(bench.seconds(bench.log[1].occurred) == 60)
    }

    @Test("during an outage nothing fires")
    func silence() throws {
        var bench = try entered()
        bench.void(at: 200)
        #expect(bench.tracker.advance(to: Uptime(milliseconds: 9_000_000)).isEmpty)
    }

    /// The first fix after an outage that began at second 10, 60 m inside.
    struct Resumption: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var gap: Double
        /// Metres that the device moved, and how far inside it is then.
        var inside: Double
        var moved: Double
        var story: [String]
        var dwellSeconds = 60.0

        init(
            _ name: String, gap: Double, inside: Double, moved: Double, dwell: Double = 60,
            _ story: [String]
        ) {
            testDescription = name
            self.gap = gap
            self.inside = inside
            self.moved = moved
            self.story = story
            dwellSeconds = dwell
        }
    }

    static let week = 604_800.0

    static let resumptions: [Resumption] = [
        Resumption("same place", gap: 100, inside: 60, moved: 49, ["enter A", "dwell A inferred"]),
        Resumption(
            "same place for a week", gap: week - 1, inside: 60, moved: 0,
            ["enter A", "dwell A inferred"]),
        Resumption(
            "more than a week", gap: week + 1, inside: 60, moved: 0,
            ["enter A", "exit A gap", "enter A initial"]),
        Resumption(
            "elsewhere inside, up to 600 s", gap: 600, inside: 60, moved: 51,
            ["enter A", "dwell A inferred"]),
        Resumption(
            "elsewhere inside, longer: the clock restarts", gap: 601, inside: 60, moved: 51,
            ["enter A"]),
        Resumption(
            "elsewhere inside, up to 1,800 s", gap: 1800, inside: 60, moved: 51, ["enter A"]),
        Resumption(
            "elsewhere inside, longer: the visit is closed", gap: 1801, inside: 60, moved: 51,
            ["enter A", "exit A gap", "enter A initial"]),
        Resumption(
            "ramp", gap: 100, inside: -80, moved: 149, ["enter A", "dwell A inferred"]),
        Resumption("too far for a ramp", gap: 100, inside: -80, moved: 151, ["enter A"]),
        Resumption(
            "ramp before the dwell was due", gap: 100, inside: -80, moved: 149, dwell: 120,
            ["enter A"]),
    ]

    @Test("the first fix after an outage decides", arguments: resumptions)
    func resumption(row: Resumption) throws {
        var bench = try entered(dwell: row.dwellSeconds)
        // 60 m inside is 40 m east of the centre; the new place lies north-west or east of it.
        let radius = TrackerBench.radiusMeters - row.inside
        let (east, north) = Self.place(radius: radius, from: 40, moved: row.moved)
        bench.place(at: 10 + row.gap, east: east, north: north)
        #expect(bench.story == row.story)
        if let dwell = bench.log.first(where: { $0.kind == .dwell }) {
            #expect(bench.seconds(dwell.occurred) == row.dwellSeconds)
            #expect(dwell.isInferred)
            #expect(dwell.evidence.gapSeconds == row.gap)
        }
        if row.story.contains("exit A gap") {
            #expect(bench.seconds(bench.log[1].occurred) == 10)
            #expect(bench.log[1].durationSeconds == 10)
            #expect(bench.seconds(bench.log[2].occurred) == 10 + row.gap)
        }
    }

    /// A point at a radius around the centre, at a distance from (`start`, 0).
    private static func place(
        radius: Double, from start: Double, moved: Double
    ) -> (Double, Double) {
        let east = (start * start + radius * radius - moved * moved) / (2 * start)
        let clamped = min(max(east, -radius), radius)
        return (clamped, max(0, radius * radius - clamped * clamped).squareRoot())
    }

    @Test("after a ramp the exit is confirmed as usual, and follows its dwell")
    func rampExit() throws {
        var bench = try entered()
        for step in 0...3 { bench.fix(at: 110 + Double(step), inside: -50) }
        #expect(bench.story == ["enter A", "dwell A inferred", "exit A"])
        #expect(bench.seconds(bench.log[1].detected) == 110)
        #expect(bench.seconds(bench.log[2].detected) == 112)
        #expect(bench.log[2].endsVisit)
    }

    @Test("a dwell comes before the exit of its own fence within one fix")
    func order() throws {
        var bench = try entered()
        // A coarse fix begins the exit; the first good one ends the outage and completes it.
        bench.fix(at: 108, inside: -180, accuracy: 150, verdict: .departOnly)
        let found = bench.fix(at: 111, inside: -50)
        #expect(found.map(TrackerBench.words) == ["dwell A inferred", "exit A"])
    }

    @Test("an exit that is not confirmed restarts the dwell clock at the next fix inside")
    func unconfirmedExit() throws {
        var bench = try entered()
        bench.fix(at: 110, inside: -300)
        #expect(bench.story == ["enter A"])
        for second in 111..<171 { bench.fix(at: Double(second), inside: 60) }
        #expect(bench.story == ["enter A"])
        bench.fix(at: 171, inside: 60)
        #expect(bench.story == ["enter A", "dwell A"])
        #expect(bench.seconds(bench.log[1].occurred) == 171)
    }

    @Test("the restarted clock runs from the fix that restarted it")
    func restartedClock() throws {
        var bench = try entered()
        bench.place(at: 711, east: -40)
        for second in 712..<780 { bench.place(at: Double(second), east: -40) }
        #expect(bench.story == ["enter A", "dwell A"])
        #expect(bench.seconds(bench.log[1].occurred) == 771)
        #expect(!bench.log[1].isInferred)
    }

    @Test("moved is measured from the last fix, not from the mean of a stop")
    func movedFromLastFix() throws {
        var bench = try TrackerBench { $0.dwellSeconds = 900 }
        bench.beginOutside()
        for second in 0...20 { bench.place(at: Double(second), east: 0, speed: 2) }
        // The stop's mean stays near the centre; the last fix before the outage lies 45 m east.
        for second in 21...80 { bench.place(at: Double(second), east: 0, speed: 0) }
        for second in 81...83 { bench.place(at: Double(second), east: 45, speed: 0) }
        bench.place(at: 3000, east: -20, speed: 0)
        #expect(bench.story == ["enter A", "exit A gap", "enter A initial"])
    }

    @Test("a void epoch makes an outage of the shortest gap")
    func voidEpoch() throws {
        var bench = try entered(until: 40)
        bench.void(at: 41)
        for second in 42...60 { bench.fix(at: Double(second), inside: 60) }
        #expect(bench.story == ["enter A", "dwell A inferred"])
        #expect(bench.log[1].evidence.gapSeconds == 2)
    }

    @Test("gaps of the usual period are none")
    func sparse() throws {
        var bench = try TrackerBench { $0.dwellSeconds = 100 }
        for step in 0...4 { bench.fix(at: Double(step) * 30 - 150, inside: -500) }
        for step in 0...4 { bench.fix(at: Double(step) * 30, inside: 60) }
        #expect(bench.story == ["enter A", "dwell A"])
    }
}

@Suite("Stationary hold")
struct StationaryHoldTests {
    private func parked(holds: Bool, inside: Double = 60) throws -> TrackerBench {
        var rules = TransitionRules()
        rules.holdsStationary = holds
        var bench = try TrackerBench(rules: rules) { $0.dwellSeconds = 60 }
        bench.beginOutside()
        for second in 0...5 { bench.fix(at: Double(second), inside: inside) }
        for second in 6...25 { bench.fix(at: Double(second), inside: inside, speed: 0) }
        return bench
    }

    private func time(_ bench: TrackerBench, _ seconds: Double) -> Uptime {
        Uptime(milliseconds: bench.track.bootOffset + Int64(seconds * 1000))
    }

    @Test("hint, rest and a decisive fix let a dwell fire unseen, at its own time")
    func fires() throws {
        var bench = try parked(holds: true)
        #expect(bench.tracker.hint(stationary: true, at: time(bench, 26)).isEmpty)
        #expect(bench.tracker.nextDeadline == time(bench, 60))
        #expect(bench.tracker.advance(to: time(bench, 59.999)).isEmpty)
        let found = bench.tracker.advance(to: time(bench, 60))
        #expect(found.map(TrackerBench.words) == ["dwell A inferred"])
        #expect(bench.seconds(found.first?.detected) == 60)
        #expect(found.first?.evidence.rule == "stationary_hold")
        #expect(bench.tracker.advance(to: time(bench, 5000)).isEmpty)
    }

    @Test("a late tick and the next fix give the same as a tick in time")
    func independentOfTicks() throws {
        var bench = try parked(holds: true)
        _ = bench.tracker.hint(stationary: true, at: time(bench, 26))
        bench.fix(at: 400, inside: 60, speed: 0)
        #expect(bench.story == ["enter A", "dwell A inferred"])
        #expect(bench.seconds(bench.log[1].detected) == 60)
    }

    @Test("without the profile, the hint or the rest nothing fires")
    func negatives() throws {
        var off = try parked(holds: false)
        #expect(off.tracker.hint(stationary: true, at: time(off, 26)).isEmpty)
        #expect(off.tracker.advance(to: time(off, 500)).isEmpty)
        var unhinted = try parked(holds: true)
        #expect(unhinted.tracker.advance(to: time(unhinted, 500)).isEmpty)
        var taken = try parked(holds: true)
        _ = taken.tracker.hint(stationary: true, at: time(taken, 26))
        _ = taken.tracker.hint(stationary: false, at: time(taken, 30))
        #expect(taken.tracker.advance(to: time(taken, 500)).isEmpty)
        var moving = try parked(holds: true)
        for second in 26...28 { moving.fix(at: Double(second), inside: 60, speed: 3) }
        _ = moving.tracker.hint(stationary: true, at: time(moving, 29))
        #expect(moving.tracker.advance(to: time(moving, 500)).isEmpty)
        var vague = try parked(holds: true, inside: 3)
        _ = vague.tracker.hint(stationary: true, at: time(vague, 26))
        #expect(vague.tracker.advance(to: time(vague, 500)).isEmpty)
    }
}
