import Geofencing
import Positioning
import Snapshots
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

private let clock = WallClockReading(time: PlaneTrack().start, isSynchronised: true)

/// A recording may hold any bytes as a snapshot: they are read or refused, and nothing traps later.
@Suite("A damaged snapshot")
struct SnapshotDamageTests {
    /// A number as a snapshot writes it.
    private func number(_ value: Int64) -> [UInt8] {
        var writer = SnapshotWriter()
        writer.write(value)
        return writer.bytes
    }

    static let numbers: [Int64] = [.min, .max, 1 << 53, -(1 << 53), 1_000_000_000_000_000]
    private static let reals: [Double] = [
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, -1e12,
        1e300,
    ]

    private func damage(
        _ bytes: [UInt8], _ random: inout TestSupport.SeededGenerator
    ) -> [UInt8] {
        var result = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 1..<result.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: result[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: result[place] = UInt8.random(in: 0...255, using: &random)
            case 2:
                let value = Self.numbers.randomElement(using: &random) ?? 0
                result.replaceSubrange(place...place, with: number(value))
            default:
                let end = min(place + 8, result.count)
                let bits = (Self.reals.randomElement(using: &random) ?? 0).bitPattern
                for index in place..<end {
                    result[index] = UInt8(truncatingIfNeeded: bits >> UInt64(8 * (index - place)))
                }
            }
        }
        return result
    }

    /// A drive, with what a process that was killed on it leaves.
    private struct Drive {
        let boot = BootID("damage")
        let world: DriveWorld
        var pipeline: TrackingPipeline
        private(set) var taken = 0

        init(seed: UInt64) {
            world = DriveWorld(seed: seed, count: 900)
            pipeline = TrackingPipeline(bootID: boot, syncingFrom: Uptime(milliseconds: 0))
            _ = pipeline.replaceFences(world.fences, at: Uptime(milliseconds: 0), wallClock: clock)
        }

        mutating func next() {
            _ = pipeline.ingest(world.fixes[taken], wallClock: clock)
            taken += 1
        }

        var bytes: [UInt8]? {
            guard let snapshot = pipeline.snapshot else { return nil }
            var writer = SnapshotWriter()
            writer.write(snapshot)
            return writer.bytes
        }

        /// Whether such a snapshot is one; then a pipeline goes on from it for 100 fixes.
        func goesOn(from damaged: [UInt8]) -> Bool {
            guard (try? PipelineSnapshot(bytes: damaged)) != nil else { return false }
            var state = pipeline.persistedState
            state.snapshot = SnapshotBytes(damaged)
            let start = world.fixes[taken].uptime
            var next = TrackingPipeline(bootID: boot, restoring: state, syncingFrom: start)
            _ = next.replaceFences(world.fences, at: start, wallClock: clock)
            for fix in world.fixes[taken..<(taken + 100)] {
                _ = next.ingest(fix, wallClock: clock)
                _ = next.tick(at: fix.uptime, wallClock: clock)
            }
            return true
        }
    }

    @Test("does not trap the pipeline that goes on from it", arguments: 1...4)
    func fuzz(seed: UInt64) {
        print("damaged snapshots: seed \(seed)")
        var random = TestSupport.SeededGenerator(seed: seed)
        var drive = Drive(seed: seed)
        var read = 0
        while drive.taken < 800 {
            drive.next()
            guard drive.taken % 8 == 0, let bytes = drive.bytes else { continue }
            for _ in 0..<6 where drive.goesOn(from: damage(bytes, &random)) { read += 1 }
        }
        print("seed \(seed): \(read) damaged snapshots could be read")
        #expect(read > 40)
    }

    @Test("does not trap with any of its numbers at an end of its range", arguments: numbers)
    func ends(value: Int64) throws {
        var drive = Drive(seed: 1)
        while drive.taken < 790, drive.taken < 200 || !drive.pipeline.tracker.isStopped {
            drive.next()
        }
        for _ in 0..<5 { drive.next() }
        #expect(drive.pipeline.tracker.isStopped)
        let bytes = try #require(drive.bytes)
        var read = 0
        for place in 1..<bytes.count {
            guard let end = bytes[place...].firstIndex(where: { $0 < 0x80 }), end < place + 10
            else { continue }
            var damaged = bytes
            damaged.replaceSubrange(place...end, with: number(value))
            if drive.goesOn(from: damaged) { read += 1 }
        }
        print("\(bytes.count) bytes, \(value): \(read) snapshots could be read")
    }

    @Test(
        "of the stored state is refused where its times cannot be reckoned with",
        arguments: [Int64.min, Int64.max, 1_000_000_000_000_001])
    func impossibleTimes(milliseconds: Int64) throws {
        let moment = Array(#"{"mono_ms":\#(milliseconds)}"#.utf8)
        #expect(throws: WireError.self) { try WireCoding.decode(Moment.self, from: moment) }
        let state = Array(
            """
            {"fixes":[{"lat":1,"lon":2,"accuracy_m":5,"mono_ms":\(milliseconds),"trusted":true,
            "coarse":false,"seeds":true,"source":"nmea"}],"intervals":[],"fences":[]}
            """.utf8)
        let read = try WireCoding.decode(FenceTracker.State.self, from: state)
        #expect(read.lastMoment == nil)
    }
}
