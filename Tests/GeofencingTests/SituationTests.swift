import Geofencing
import TestSupport
import Testing

@Suite("What the ranking must keep")
struct SituationTests {
    /// What the ranking would be told at the next fix.
    private func situation(_ bench: TrackerBench) throws -> RegionSituation {
        try #require(
            bench.tracker.situation(
                of: bench.track.accepted(at: 100, east: 0), limit: RegionBudget.limit))
    }

    @Test("a fence far from the device, or beside it, is neither inside nor pending")
    func quiet() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        bench.fix(at: 0, inside: -1)
        let situation = try situation(bench)
        #expect(situation.inside.isEmpty && situation.pending.isEmpty)
        #expect(situation.leaving.isEmpty)
    }

    @Test("an arrival that is not proved yet is pending")
    func arriving() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        bench.fix(at: 0, inside: 4)
        let situation = try situation(bench)
        #expect(situation.inside.isEmpty)
        #expect(situation.pending == ["A"])
    }

    @Test("a departure that is not proved yet is inside, pending and leaving")
    func leaving() throws {
        var bench = try TrackerBench()
        bench.beginInside()
        #expect(try situation(bench).inside == ["A"])
        #expect(try situation(bench).leaving.isEmpty)
        bench.fix(at: 0, inside: -50)
        let situation = try situation(bench)
        #expect(situation.inside == ["A"])
        #expect(situation.pending == ["A"])
        #expect(situation.leaving == ["A"])
    }

    @Test("a changed geometry is pending until a fix has judged it")
    func changed() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        try bench.set([TrackerBench.fence(bench.track, radius: 90)], at: 0)
        #expect(try situation(bench).pending == ["A"])
        bench.fix(at: 1, inside: -500)
        #expect(try situation(bench).pending.isEmpty)
    }
}
