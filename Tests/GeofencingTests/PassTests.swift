import Geofencing
import Testing

@Suite("Pass")
struct PassTests {
    /// Sparse fixes every `period` seconds at `speed` along a line `north` metres off the centre.
    private func drive(
        period: Double = 30, speed: Double = 25, north: Double = 0, accuracy: Double = 5,
        claimedSpeed: Double? = nil, phase: Double = 0, radius: Double = 50,
        _ change: (inout Fence) -> Void = { _ in }
    ) throws -> TrackerBench {
        var bench = try TrackerBench { fence in
            fence = TrackerBench.fence(.init(), radius: radius)
            change(&fence)
        }
        for step in -4...4 {
            let time = Double(step) * period
            bench.place(
                at: time, east: (time + period / 2 + phase) * speed, north: north,
                accuracy: accuracy, speed: claimedSpeed ?? speed)
        }
        return bench
    }

    @Test("a fence between two fixes is passed, with entry, exit and chord")
    func between() throws {
        let bench = try drive()
        #expect(bench.story == ["pass A"])
        let pass = try #require(bench.log.first)
        let chord = try #require(pass.evidence.chord)
        #expect(abs(chord.lengthMeters - 100) < 0.1)
        let entered = try #require(bench.seconds(chord.entered))
        let left = try #require(bench.seconds(chord.left))
        #expect(abs(left - entered - 4) < 0.01)
        #expect(abs(entered + 17) < 0.01)
        #expect(bench.seconds(pass.occurred) == entered)
    }

    @Test(
        "what a pass needs",
        arguments: [
            (0.0, 5.0, 25.0 as Double?, 1), (70, 5, 25, 0), (0, 50, 25, 1), (0, 51, 25, 0),
            // Claimed speed says that the way was longer than the straight line.
            (0, 5, 31, 1), (0, 5, 31.5, 0), (0, 5, 1.6, 1), (0, 5, 1.5, 0),
        ])
    func conditions(north: Double, accuracy: Double, speed: Double?, passes: Int) throws {
        let bench = try drive(north: north, accuracy: accuracy, claimedSpeed: speed)
        #expect(bench.log.count == passes)
    }

    @Test("an outage claims nothing")
    func outage() throws {
        var bench = try TrackerBench()
        for second in -20 ... -10 { bench.place(at: Double(second), east: Double(second) * 25) }
        bench.place(at: 10, east: 250, speed: 25)
        #expect(bench.story.isEmpty)
    }

    @Test("a void epoch between them claims nothing")
    func void() throws {
        var bench = try TrackerBench { $0 = TrackerBench.fence(.init(), radius: 10) }
        for second in -5 ... -1 { bench.place(at: Double(second), east: Double(second) * 25) }
        bench.void(at: 0)
        for second in 1...5 { bench.place(at: Double(second), east: Double(second) * 25) }
        #expect(bench.story.isEmpty)
    }

    @Test("the fix that resolves an unknown state claims no pass")
    func unknown() throws {
        var bench = try TrackerBench { $0 = TrackerBench.fence(.init(), radius: 20) }
        bench.place(at: 0, east: -25, accuracy: 10, speed: 25)
        bench.place(at: 1, east: 25, accuracy: 10, speed: 25)
        bench.place(at: 2, east: 50, accuracy: 10, speed: 25)
        #expect(bench.story.isEmpty)
    }

    @Test(
        "fixes inside that prove no arrival are a pass at driving speed",
        arguments: [(5.1, ["pass A"]), (4.9, [])])
    func shallow(speed: Double, story: [String]) throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        // 97 m off the centre: 3 m deep at most, with 10 m accuracy, for less than two seconds.
        for step in -20...20 {
            bench.place(
                at: Double(step) * 5, east: Double(step) * 25, north: 97, accuracy: 10, speed: speed
            )
        }
        #expect(bench.story == story)
    }

    @Test("a pass may be told as enter and exit, in this order, or not at all")
    func policies() throws {
        let both = try drive { $0.passAs = .enterExit }
        #expect(both.story == ["enter A", "exit A"])
        #expect(abs((both.log[1].durationSeconds ?? 0) - 4) < 0.01)
        #expect(!both.log[1].endsVisit)
        #expect(try drive { $0.passAs = .ignore }.story.isEmpty)
    }

    @Test("a car that stops behind the fence passed it; one that stood before it did not")
    func stops() throws {
        var bench = try TrackerBench { $0 = TrackerBench.fence(.init(), radius: 10) }
        for second in -10...0 {
            bench.place(at: Double(second), east: Double(second) * 25 - 20, speed: 25)
        }
        bench.place(at: 1.6, east: 20, speed: 0.2)
        #expect(bench.story == ["pass A"])
    }

    @Test("no enter and no exit come of a pass")
    func balance() throws {
        var bench = try drive()
        for step in 5...8 {
            bench.place(at: Double(step) * 30, east: Double(step) * 750, speed: 25)
        }
        #expect(bench.story == ["pass A"])
        #expect(bench.tracker.status(at: .init(milliseconds: 0)).first?.presence == .outside)
    }
}
