import Geofencing
import Testing

/// What docs/decisions.md says of visits that overlap: the rows of arrivals believe one decisive fix,
/// the rows of departures do not.
@Suite("A kiosk that is carried to another place")
struct MovedKioskTests {
    struct Row: Sendable, CustomTestStringConvertible {
        /// Seconds without a fix, and the speed of the first eight after it.
        var gap: Double
        var speed: Double?
        /// Seconds after the last fix in A.
        var enter: Double
        var exit: Double

        init(gap: Double, speed: Double?, enter: Double, exit: Double) {
            self.gap = gap
            self.speed = speed
            self.enter = enter
            self.exit = exit
        }

        var testDescription: String { "\(gap) s, \(speed.map { "\($0)" } ?? "no speed")" }
    }

    static let rows: [Row] = [
        // It stands at both ends: the means decide, and the exit comes first.
        Row(gap: 60, speed: 0, enter: 62, exit: 62),
        Row(gap: 130, speed: 0, enter: 145, exit: 145),
        Row(gap: 2000, speed: 0, enter: 2015, exit: 2015),
        // It still rolls when it is seen again: the exit takes the two seconds of its row.
        Row(gap: 60, speed: 5, enter: 60, exit: 62),
        Row(gap: 130, speed: 1.5, enter: 130, exit: 132),
        Row(gap: 2000, speed: 5, enter: 2000, exit: 2002),
        // Without speeds its stop begins two seconds after that: the exit takes the settling, too.
        Row(gap: 60, speed: nil, enter: 60, exit: 77),
        Row(gap: 400, speed: nil, enter: 400, exit: 417),
    ]

    @Test("may arrive before it has left, by the rows, and by no more than 17 s", arguments: rows)
    func moved(row: Row) throws {
        var bench = try TrackerBench()
        let home = TrackerBench.fence(bench.track)
        let away = TrackerBench.fence(bench.track, id: "B", east: 1000)
        try bench.set([home, away], at: -2000)
        for second in 0..<900 { bench.place(at: Double(second) - 899, east: 0, speed: 0) }
        #expect(bench.story == ["enter A initial"])
        for second in 0..<200 {
            bench.place(
                at: row.gap + Double(second), east: 1000, speed: second < 8 ? row.speed : 0)
        }
        let moves = bench.log.dropFirst()
        #expect(moves.count == 2)
        let enter = try #require(moves.first { $0.kind == .enter && $0.fenceID == "B" })
        let exit = try #require(moves.first { $0.kind == .exit && $0.fenceID == "A" })
        #expect(bench.seconds(enter.occurred) == row.enter)
        #expect(bench.seconds(exit.occurred) == row.exit)
        #expect(row.exit - row.enter <= 17)
        if row.exit == row.enter { #expect(bench.log[1].kind == .exit) }
    }
}
