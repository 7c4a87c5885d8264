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

    @Test(
        "a drive through a circle of 50 m is found wherever the reported way runs through it",
        arguments: [0, 1, 2, 3], [1.0, 30])
    func driveThroughs(environment: Int, periodSeconds: Double) {
        let soak = NoiseSoak(NoiseSoak.environments[environment], seed: 4)
        let middle = soak.driveThroughs(
            periodSeconds: periodSeconds, trials: 500, besideMeters: 0)[0]
        #expect(middle.share >= (periodSeconds == 1 ? 0.98 : 0.95))
        // Up to 15 m beside the middle a canyon moves every fiftieth way out of the circle.
        let beside = soak.driveThroughs(periodSeconds: periodSeconds, trials: 500)[0]
        #expect(beside.share >= beside.reportedShare - 0.002)
        #expect(beside.odd <= 1)
    }

    @Test("the same options give the same table")
    func deterministic() {
        let report = NoiseSoakReport(seeds: 1, hours: 0.1, trials: 10)
        #expect(report.text() == report.text())
    }
}
