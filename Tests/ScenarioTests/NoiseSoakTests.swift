import FieldTools
import Testing

@Suite("The noise soak")
struct NoiseSoakTests {
    static let openSky = NoiseSoak.environments[0]

    @Test("open sky makes no false transition and no false visit in a day", arguments: [0, 0.8])
    func openSky(slowShare: Double) {
        let days = NoiseSoak(Self.openSky, slowShare: slowShare, seed: 1).parked(hours: 24)
        for (placement, day) in zip(NoiseSoak.placements, days) {
            // On the very line either side is true.
            guard placement != 0 else { continue }
            #expect(day.falseTransitions == 0, "\(placement) m inside")
            #expect(day.falseVisits == 0, "\(placement) m inside")
        }
    }

    @Test("the simple engines see what they should: the soak can fail")
    func simpleEngines() {
        let days = NoiseSoak(NoiseSoak.environments[2], seed: 1).parked(hours: 2)
        // A point in a circle flaps on its line, all day.
        #expect(days[4].simple[0] > 50)
        #expect(days[4].falseTransitions <= 12)
    }

    @Test("every arrival half a radius inside is found, and most of them 7.5 m inside")
    func arrivals() {
        let soak = NoiseSoak(NoiseSoak.environments[1], seed: 3)
        #expect(soak.arrivals(depthMeters: 50, trials: 200)[0].share == 1)
        #expect(soak.arrivals(depthMeters: 7.5, trials: 200)[0].share >= 0.8)
    }

    @Test("the same options give the same table")
    func deterministic() {
        let report = NoiseSoakReport(seeds: 1, hours: 0.1, trials: 10)
        #expect(report.text() == report.text())
    }
}
