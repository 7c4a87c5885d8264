import Geofencing
import Testing

@Suite("Which crossing dates a transition")
struct OccurrenceTests {
    /// After an outage of five minutes, 60 m inside until second -1 and 5 m outside at second 0,
    /// the device shows up so far outside.
    private func leave(seenAgain inside: Double) throws -> TrackerBench {
        var bench = try TrackerBench()
        for second in -60 ... -1 { bench.fix(at: Double(second), inside: 60) }
        bench.fix(at: 0, inside: -5)
        bench.fix(at: 300, inside: inside)
        bench.fix(at: 302, inside: inside)
        return bench
    }

    @Test("over an outage an exit has the crossing before it at the same place, not elsewhere")
    func exitOverOutage() throws {
        let same = try leave(seenAgain: -25)
        #expect(same.story == ["enter A initial", "exit A"])
        let crossing = try #require(same.seconds(same.log.last?.occurred))
        #expect(crossing > -1 && crossing < 0)
        let elsewhere = try leave(seenAgain: -3000)
        #expect(elsewhere.story == ["enter A initial", "exit A"])
        #expect(elsewhere.seconds(elsewhere.log.last?.occurred) == 302)
    }

    /// 4 m inside at second 0, which proves nothing, and after five minutes so far inside.
    private func arrive(seenAgain inside: Double) throws -> TrackerBench {
        var bench = try TrackerBench()
        for second in -60 ... -1 { bench.fix(at: Double(second), inside: -40) }
        bench.fix(at: 0, inside: 4)
        bench.fix(at: 300, inside: inside)
        return bench
    }

    @Test("over an outage an arrival has the crossing before it at the same place, not elsewhere")
    func arrivalOverOutage() throws {
        let same = try arrive(seenAgain: 20)
        #expect(same.story == ["enter A"])
        let crossing = try #require(same.seconds(same.log.last?.occurred))
        #expect(crossing > -1 && crossing < 0)
        let elsewhere = try arrive(seenAgain: 60)
        #expect(elsewhere.story == ["enter A"])
        #expect(elsewhere.seconds(elsewhere.log.last?.occurred) == 300)
    }

    @Test("an arrival after an exit at rest is not dated by the way in before that exit")
    func arrivalAfterExitAtRest() throws {
        var bench = try TrackerBench()
        bench.beginOutside()
        for second in -10...0 {
            bench.fix(at: Double(second), inside: 50 + 25 * Double(second), speed: 10)
        }
        // Carried out and in again at a crawl.
        for second in 1...60 { bench.fix(at: Double(second), inside: 50, speed: 0.1) }
        for second in 61...200 { bench.fix(at: Double(second), inside: -60, speed: 0.1) }
        for second in 201...330 { bench.fix(at: Double(second), inside: 50, speed: 0.1) }
        try #require(bench.story == ["enter A", "exit A", "enter A"])
        let moments = bench.log.compactMap { bench.seconds($0.occurred) }
        #expect(moments == moments.sorted())
        #expect((moments.last ?? 0) > 200)
        #expect((bench.log[1].durationSeconds ?? -1) > 0)
    }
}
