import Geofencing
import Snapshots
import TestSupport
import Testing
import Timekeeping

@testable import GeofenceAgent

@Suite("A process that is killed just after an answer with new fences")
struct NewcomerSnapshotTests {
    private let track = PlaneTrack(latitude: 52, longitude: 13)
    private let clock = WallClockReading(
        time: UTCTime(millisecondsSince1970: 1_767_225_600_000), isSynchronised: true)

    /// One behind the other along the way, so that only the nearest are monitored.
    private func fences(_ count: Int) -> [Fence] {
        (0..<count).map { index in
            Fence(
                id: "f\(index)", name: "f\(index)",
                shape: .circle(
                    center: track.coordinate(east: 200 + 150 * Double(index), north: 0),
                    radiusMeters: 60))
        }
    }

    private func drive(
        _ pipeline: inout TrackingPipeline, _ seconds: Range<Int>
    ) -> [Transition] {
        seconds.flatMap { second in
            pipeline.ingest(
                track.fix(
                    at: Double(second), east: 15 * Double(second), north: 0, accuracy: 5,
                    speed: 15),
                wallClock: clock
            ).transitions
        }
    }

    @Test("leaves a snapshot that can be read, and the next tells the same", arguments: [0, 1, 2])
    func newcomers(fixesAfter: Int) throws {
        var pipeline = TrackingPipeline(bootID: BootID("boot"))
        _ = pipeline.replaceFences(
            fences(20), at: Uptime(milliseconds: 0), wallClock: clock)
        _ = drive(&pipeline, 0..<5)
        _ = pipeline.replaceFences(
            fences(40), at: Uptime(milliseconds: 4_500), wallClock: clock)
        _ = drive(&pipeline, 5..<5 + fixesAfter)

        var writer = SnapshotWriter()
        writer.write(try #require(pipeline.snapshot))
        var state = pipeline.persistedState
        let left = SnapshotBytes(writer.bytes)
        _ = try left.read()
        state.snapshot = left
        var next = TrackingPipeline(bootID: BootID("boot"), restoring: state)
        _ = next.replaceFences(
            fences(40), at: Uptime(milliseconds: 4_900 + 1_000 * Int64(fixesAfter)),
            wallClock: clock)
        let expected = drive(&pipeline, 5 + fixesAfter..<400)
        #expect(expected.count > 40)
        #expect(drive(&next, 5 + fixesAfter..<400) == expected)
    }
}
