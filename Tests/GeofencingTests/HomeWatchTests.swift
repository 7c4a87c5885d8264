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

    static let rows = [
        Row(testDescription: "parked", fixes: (0..<600).map { (Double($0), 3, 5) }, moves: []),
        Row(
            testDescription: "three far fixes",
            fixes: [(0, 0, 5), (1, 101, 5), (2, 101, 5), (3, 101, 5), (4, 101, 5)], moves: [3]),
        Row(
            testDescription: "within 100 m",
            fixes: [(0, 0, 5), (1, 99, 5), (2, 99, 5), (3, 99, 5), (4, 99, 5)], moves: []),
        Row(
            testDescription: "two far fixes, again and again",
            fixes: (0..<90).map { (Double($0), $0 % 3 == 0 ? 0 : 500, 5) }, moves: []),
        Row(
            testDescription: "within three accuracies",
            fixes: [(0, 0, 50), (1, 149, 50), (2, 149, 50), (3, 149, 50)], moves: []),
        Row(
            testDescription: "beyond three accuracies",
            fixes: [(0, 0, 50), (1, 151, 50), (2, 151, 50), (3, 151, 50)], moves: [3]),
        Row(
            testDescription: "a transport with stops of a minute is one move",
            fixes: (0..<1000).map { (Double($0), Double($0 / 60) * 1000, 5) }, moves: [62]),
        Row(
            testDescription: "after a rest of 300 s the next move counts",
            fixes: (0..<400).map { (Double($0), $0 == 0 ? 0 : 500, 5) }
                + (400..<500).map { (Double($0), 1000, 5) }, moves: [3, 402]),
        Row(
            testDescription: "a better fix is home, and home does not creep",
            fixes: [(0, 90, 80), (1, 0, 5)] + (2..<50).map { (Double($0), 95, 4.9) }
                + [(50, 101, 5), (51, 101, 5), (52, 101, 5)], moves: [52]),
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
