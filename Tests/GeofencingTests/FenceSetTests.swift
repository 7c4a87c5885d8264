import Geodesy
import Geofencing
import TestSupport
import Testing
import Timekeeping

@Suite("Changes of the fence set")
struct FenceSetTests {
    let track = PlaneTrack()

    @Test("a fence that goes, is disabled or expires ends its visit")
    func ends() throws {
        for (reason, change) in [
            ("fence_deleted", { (fences: [Fence]) in [] }),
            (
                "fence_disabled",
                {
                    $0.map {
                        var fence = $0; fence.isEnabled = false; return fence
                    }
                }
            ),
            (
                "fence_expired",
                {
                    $0.map {
                        var fence = $0
                        fence.expiresAt = PlaneTrack().start
                        return fence
                    }
                }
            ),
        ] as [(String, ([Fence]) -> [Fence])] {
            var bench = try TrackerBench()
            bench.beginInside()
            try bench.set(change([TrackerBench.fence(track)]), at: 10)
            #expect(bench.story == ["enter A initial", "exit A \(reason)"])
            #expect(bench.log[1].durationSeconds == 70)
            try bench.set([], at: 20)
            #expect(bench.log.count == 2)
        }
    }

    @Test("a fence expires by itself at a fix of a later time")
    func expiry() throws {
        var bench = try TrackerBench {
            $0.expiresAt = PlaneTrack().start.advanced(byMilliseconds: 100_000)
        }
        bench.beginInside()
        bench.fix(at: 99, inside: 60)
        #expect(bench.story == ["enter A initial"])
        bench.fix(at: 100, inside: 60)
        #expect(bench.story == ["enter A initial", "exit A fence_expired"])
        bench.fix(at: 101, inside: 60)
        #expect(bench.log.count == 2)
        // Extended, it lives again.
        try bench.set([TrackerBench.fence(track)], at: 102)
        bench.fix(at: 103, inside: 60)
        bench.fix(at: 104, inside: 60)
        #expect(bench.log.count == 3)
    }

    @Test("an unchanged fence, and one whose content alone changed, keep their state")
    func unchanged() throws {
        var bench = try TrackerBench()
        bench.beginInside()
        try bench.set([TrackerBench.fence(track)], at: 0)
        var renamed = TrackerBench.fence(track)
        renamed.name = "renamed"
        renamed.version = 2
        try bench.set([renamed], at: 1)
        for second in 2...6 { bench.fix(at: Double(second), inside: 60) }
        #expect(bench.story == ["enter A initial"])
        for second in 7...10 { bench.fix(at: Double(second), inside: -60) }
        #expect(bench.log.last?.fenceVersion == 2)
    }

    @Test(
        "a changed geometry is judged by the rows of unknown",
        arguments: [
            // Metres inside the old fence, radius of the new one, what follows.
            (60.0, 30.0, ["enter A initial", "exit A fence_changed"]),
            (60, 80, ["enter A initial"]), (-60, 300, ["enter A initial fence_changed"]),
            (-60, 120, []),
        ])
    func changed(inside: Double, radius: Double, story: [String]) throws {
        var bench = try TrackerBench()
        for second in 0..<5 { bench.fix(at: Double(second), inside: inside) }
        try bench.set([TrackerBench.fence(track, radius: radius)], at: 5)
        for second in 6..<10 { bench.fix(at: Double(second), inside: inside) }
        #expect(bench.story == story)
    }

    @Test("a changed geometry is judged at rest, latched or not")
    func changedAtRest() throws {
        var bench = try TrackerBench()
        bench.beginInside()
        for second in 0..<400 { bench.fix(at: Double(second), inside: 60, speed: 0) }
        try bench.set([TrackerBench.fence(track, radius: 20)], at: 400)
        bench.fix(at: 401, inside: 60, speed: 0)
        #expect(bench.story == ["enter A initial", "exit A fence_changed"])
    }

    @Test("a fence that was far away and is redrawn around the device is judged at the next fix")
    func redrawn() throws {
        var bench = try TrackerBench { $0 = TrackerBench.fence(.init(), east: 50_000) }
        for second in 0..<5 { bench.place(at: Double(second), east: 0, speed: 0) }
        try bench.set([TrackerBench.fence(track)], at: 5)
        bench.place(at: 6, east: 0, speed: 0)
        #expect(bench.story == ["enter A initial fence_changed"])
    }

    @Test("a fence that an answer may have left out stays while the device is inside")
    func swap() throws {
        var bench = try TrackerBench()
        bench.beginInside()
        let moment = Moment(bench.track.fix(at: 0, east: 0))
        #expect(bench.tracker.setFences([], at: moment, keepsMissing: { _ in true }).isEmpty)
        #expect(bench.tracker.poolCount == 1)
        for second in 1...4 { bench.fix(at: Double(second), inside: -60) }
        #expect(bench.story == ["enter A initial", "exit A"])
    }

    @Test("the kill switch ends every visit and looks at nothing")
    func killSwitch() throws {
        var bench = try TrackerBench()
        bench.beginInside()
        let found = bench.tracker.disableAll(at: Moment(bench.track.fix(at: 0, east: 0)))
        #expect(found.map(TrackerBench.words) == ["exit A fence_disabled"])
        #expect(bench.fix(at: 1, inside: 60).isEmpty)
    }

    @Test("transitions that a fence does not report still happen")
    func unreported() throws {
        var bench = try TrackerBench {
            $0.transitions = [.exit]
            $0.dwellSeconds = 10
        }
        bench.beginOutside()
        for second in 0...20 { bench.fix(at: Double(second), inside: 60) }
        for second in 21...24 { bench.fix(at: Double(second), inside: -60) }
        #expect(bench.log.map(\.kind) == [.enter, .dwell, .exit])
        #expect(bench.log.map(\.isReported) == [false, false, true])
        #expect(bench.log[2].endsVisit)
    }
}

@Suite("Joining the monitored set")
struct JoiningTests {
    let track = PlaneTrack()

    /// Drives east at 25 m/s with a fix each 30 s; fence B joins at second 60, when the device has
    /// just crossed it.
    private func drive(
        joinsAt join: Double, age: Double = 30, _ fence: Fence, isKnown: Bool
    ) throws -> TrackerBench {
        var bench = try TrackerBench()
        let far = TrackerBench.fence(track, id: "A", east: -50_000)
        try bench.set(isKnown ? [far, fence] : [far], at: -300)
        bench.tracker.setMonitored(ids: ["A"], at: .init(milliseconds: 0))
        var time = -240.0
        while time < join - 0.5 {
            bench.place(at: time, east: time * 25, speed: 25)
            time += 30
        }
        time = join - 30 + age
        let now = Moment(bench.track.fix(at: time, east: 0))
        if !isKnown {
            let prepared = try [far, fence].map { try bench.tracker.prepared($0, profile: .gnss) }
            _ = bench.tracker.setFences(prepared, at: now)
        }
        bench.tracker.setMonitored(ids: ["A", "B"], at: now.uptime ?? .init(milliseconds: 0))
        for step in 0..<3 {
            bench.place(
                at: time + Double(step) * 30, east: (join + Double(step) * 30) * 25, speed: 25)
        }
        return bench
    }

    private var crossed: Fence { TrackerBench.fence(track, id: "B", radius: 50, east: 1125) }

    @Test("a fence of the pool that was crossed before the fix is passed")
    func pass() throws {
        #expect(try drive(joinsAt: 60, crossed, isKnown: true).story == ["pass B"])
    }

    @Test("a fence that the device entered before the fix is entered, not begun inside")
    func enter() throws {
        let around = TrackerBench.fence(track, id: "B", radius: 600, east: 1500)
        #expect(try drive(joinsAt: 60, around, isKnown: true).story.first == "enter B")
    }

    @Test("one that the last fix was inside of, and the one before not, is entered, too")
    func enteredAtTheLastFix() throws {
        // The last two fixes before it joins lie at 0 and 750 m.
        let around = TrackerBench.fence(track, id: "B", radius: 600, east: 1300)
        let bench = try drive(joinsAt: 60, around, isKnown: true)
        #expect(bench.story.first == "enter B")
        let both = TrackerBench.fence(track, id: "B", radius: 5000, east: 0)
        #expect(try drive(joinsAt: 60, both, isKnown: true).story.first == "enter B initial")
    }

    @Test("a fence that did not exist then is unknown")
    func created() throws {
        let around = TrackerBench.fence(track, id: "B", radius: 600, east: 1500)
        #expect(try drive(joinsAt: 60, around, isKnown: false).story.first == "enter B initial")
        var young = around
        young.createdAt = track.start.advanced(byMilliseconds: 45_000)
        #expect(try drive(joinsAt: 60, young, isKnown: false).story.first == "enter B initial")
        var old = around
        old.createdAt = track.start.advanced(byMilliseconds: -86_400_000)
        #expect(try drive(joinsAt: 60, old, isKnown: false).story.first == "enter B")
    }

    @Test("fixes older than two minutes say nothing")
    func stale() throws {
        let around = TrackerBench.fence(track, id: "B", radius: 600, east: 1500)
        #expect(
            try drive(joinsAt: 60, age: 121, around, isKnown: true).story.first
                == "enter B initial")
        #expect(try drive(joinsAt: 60, age: 119, around, isKnown: true).story.first == "enter B")
    }

    @Test("a fence that is inside freezes when it leaves the set, and goes on when it returns")
    func frozen() throws {
        var bench = try TrackerBench()
        bench.beginInside()
        let now = Uptime(milliseconds: bench.track.bootOffset)
        bench.tracker.setMonitored([], at: now)
        for second in 0...5 { bench.fix(at: Double(second), inside: -300) }
        #expect(bench.story == ["enter A initial"])
        #expect(bench.tracker.status(at: now).first?.isFrozen == true)
        bench.tracker.setMonitored([0], at: now)
        for second in 6...9 { bench.fix(at: Double(second), inside: -300) }
        #expect(bench.story == ["enter A initial", "exit A"])
    }
}

@Suite("Order within a fix")
struct OrderTests {
    @Test("exits, enters with the larger area first, dwells; then id")
    func order() throws {
        let track = PlaneTrack()
        var bench = try TrackerBench()
        var old = TrackerBench.fence(track, id: "old", radius: 60, east: 1000)
        old.dwellSeconds = 5000
        let big = TrackerBench.fence(track, id: "z-big", radius: 300, east: 0)
        let small = TrackerBench.fence(track, id: "a-small", radius: 100, east: 0)
        var around = TrackerBench.fence(track, id: "around", radius: 5000, east: 0)
        around.dwellSeconds = 61
        try bench.set([old, small, big, around], at: -100)
        // In "old" and "around" since second -60; at second 1 far outside "old" for the second
        // time, and inside the other two.
        for second in -60 ... -2 { bench.place(at: Double(second), east: 1000) }
        bench.place(at: -1, east: 600)
        let found = bench.place(at: 1, east: 0)
        #expect(
            found.map(TrackerBench.words) == [
                "exit old", "enter z-big", "enter a-small", "dwell around",
            ])
    }

    @Test("nested fences are entered from the outside in and left from the inside out")
    func nested() throws {
        let track = PlaneTrack()
        var bench = try TrackerBench()
        try bench.set(
            [500.0, 200, 50].map {
                TrackerBench.fence(track, id: "r\(Int($0))", radius: $0)
            }, at: -500)
        for second in -90...90 {
            bench.place(at: Double(second), east: Double(second) * 10, accuracy: 5, speed: 10)
        }
        #expect(
            bench.story == [
                "enter r500", "enter r200", "enter r50", "exit r50", "exit r200", "exit r500",
            ])
    }
}
