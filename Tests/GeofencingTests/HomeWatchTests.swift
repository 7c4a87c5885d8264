import Geodesy
import Geofencing
import TestSupport
import Testing
import Timekeeping

@Suite("Being carried away")
struct HomeWatchTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Seconds, metres east of the first, accuracy.
        var fixes: [(Double, Double, Double)]
        /// Seconds of the fixes that are a move.
        var moves: [Double]
    }

    /// A fix for each second of `seconds`.
    private static func every(
        _ seconds: Range<Int>, accuracy: Double = 5, _ east: (Int) -> Double
    ) -> [(Double, Double, Double)] {
        seconds.map { (Double($0), east($0), accuracy) }
    }

    static let rows: [Row] = [
        Row(testDescription: "parked", fixes: every(0..<600) { _ in 3 }, moves: []),
        Row(
            testDescription: "three far fixes",
            fixes: [(0, 0, 5), (1, 101, 5), (2, 101, 5), (3, 101, 5), (4, 101, 5)], moves: [3]),
        Row(
            testDescription: "within 100 m",
            fixes: [(0, 0, 5), (1, 99, 5), (2, 99, 5), (3, 99, 5), (4, 99, 5)], moves: []),
        Row(
            testDescription: "two far fixes, again and again",
            fixes: every(0..<90) { $0 % 3 == 0 ? 0 : 500 }, moves: []),
        Row(
            testDescription: "within three accuracies",
            fixes: [(0, 0, 50), (1, 149, 50), (2, 149, 50), (3, 149, 50)], moves: []),
        Row(
            testDescription: "beyond three accuracies",
            fixes: [(0, 0, 50), (1, 151, 50), (2, 151, 50), (3, 151, 50)], moves: [3]),
        Row(
            testDescription: "a transport with stops of a minute is one move",
            fixes: every(0..<1000) { Double($0 / 60) * 1000 }, moves: [62]),
        Row(
            testDescription: "after a rest of 300 s the next move counts",
            fixes: every(0..<400) { $0 == 0 ? 0 : 500 } + every(400..<500) { _ in 1000 },
            moves: [3, 402]),
        Row(
            testDescription: "a better fix is home, and home does not creep",
            fixes: [(0, 90, 80), (1, 0, 5)] + every(2..<50, accuracy: 4.9) { _ in 95 }
                + every(50..<53) { _ in 101 }, moves: [52]),
    ]

    @Test("three good fixes beyond max(100 m, 3 acc) are a move, once", arguments: rows)
    func moves(row: Row) {
        var watch = HomeWatch()
        let track = PlaneTrack()
        var found: [Double] = []
        for (seconds, east, accuracy) in row.fixes {
            let now = Uptime(milliseconds: Int64(seconds * 1000))
            if watch.take(track.coordinate(east: east), accuracyMeters: accuracy, at: now) {
                found.append(seconds)
            }
        }
        #expect(found == row.moves)
    }

    @Test("a device that is moved without power finds out when it has power again")
    func restart() {
        var before = HomeWatch()
        let track = PlaneTrack()
        _ = before.take(
            track.coordinate(east: 0), accuracyMeters: 5, at: Uptime(milliseconds: 9_000_000))
        var after = HomeWatch(restoring: before.state)
        let found = (1...4).map { second in
            after.take(
                track.coordinate(east: 5000), accuracyMeters: 5,
                at: Uptime(milliseconds: Int64(second) * 1000))
        }
        #expect(found == [false, false, true, false])
    }
}
