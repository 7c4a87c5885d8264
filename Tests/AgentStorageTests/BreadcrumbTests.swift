import AgentStorage
import Delivery
import Foundation
import Geodesy
import Positioning
import SQLite
import TestSupport
import Testing
import Timekeeping

/// Positions of a drive, one a second.
func crumbs(_ range: Range<Int>) -> [Breadcrumb] {
    range.compactMap { second in
        Coordinate(latitude: 52.5 + Double(second) * 1e-6, longitude: 13.4).map {
            Breadcrumb(
                bootID: SampleEvents.bootID, uptime: Uptime(milliseconds: Int64(second) * 1000),
                time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(second) * 1000),
                coordinate: $0, accuracyMeters: 4, speed: 12.5)
        }
    }
}

/// Everything that is kept, as somebody else reads it.
func keptCrumbs(_ directory: String, newest limit: Int64 = .max) throws -> [Breadcrumb?] {
    var all: [Breadcrumb?] = []
    try BreadcrumbReader(directory: directory).forEach(newest: limit) { all.append($0) }
    return all
}

@Suite("Positions that a device keeps for itself")
struct BreadcrumbTests {
    let directory: TemporaryDirectory
    let log = LogCollector()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var state: String { directory.file("state") }
    private var path: String { directory.file("state/positions.db") }
    private var exists: Bool { FileManager.default.fileExists(atPath: path) }

    private func open(_ bytes: Int64 = 8_388_608, maxBytes: Int64 = 67_108_864) throws
        -> SQLiteEventQueue
    {
        try openQueue(
            in: directory,
            limits: StorageLimits(maxBytes: maxBytes, ballastBytes: 0, breadcrumbBytes: bytes),
            log: log)
    }

    /// Latitude, longitude, accuracy, speed, uptime, time.
    static let valid: [(Double, Double, Double, Double?, Int64, Int64?)] = [
        (52.5200066, 13.404954, 4.5, 12.34, 5000, 1_800_000_000_123),
        (-90, 180, 0.01, 0, 0, nil),
        (90, -180, 300, nil, 8_640_000_000, 0),
        (0, 0, 100_000, 400, -5, -62_135_596_800_000),
        (-0.0000001, 0.0000001, 15, nil, 100_000_000_000_000, 4_102_444_800_000),
    ]

    @Test("are read as they were noted, beside the agent and after it", arguments: valid)
    func roundTrip(
        _ latitude: Double, _ longitude: Double, _ accuracy: Double, _ speed: Double?,
        _ uptime: Int64, _ time: Int64?
    ) throws {
        let queue = try open()
        let crumb = Breadcrumb(
            bootID: BootID("b1"), uptime: Uptime(milliseconds: uptime),
            time: time.map(UTCTime.init(millisecondsSince1970:)),
            coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)),
            accuracyMeters: accuracy, speed: speed)
        queue.keep([crumb])
        let beside = try #require(try keptCrumbs(state).first ?? nil)
        queue.close()
        let after = try #require(try keptCrumbs(state).first ?? nil)
        #expect(beside == after)
        #expect(after.bootID == crumb.bootID && after.uptime == crumb.uptime)
        #expect(after.time == crumb.time)
        #expect(abs(after.coordinate.latitude - latitude) <= 0.5e-7)
        #expect(abs(after.coordinate.longitude - longitude) <= 0.5e-7)
        #expect(abs(after.accuracyMeters - accuracy) <= 0.005)
        #expect(after.speed == speed)
    }

    /// Latitude and longitude in 1e-7 degrees, accuracy in centimetres.
    @Test(
        "a row that is no position is told as one, and the others are read",
        arguments: [
            (900_000_001, 0, 400), (-900_000_001, 0, 400), (0, 1_800_000_001, 400),
            (0, -1_800_000_001, 400), (0, 0, 0), (0, 0, -1), (Int64.max, Int64.min, 1),
        ] as [(Int64, Int64, Int64)])
    func invalidRow(_ latitude: Int64, _ longitude: Int64, _ accuracy: Int64) throws {
        let queue = try open()
        queue.keep(crumbs(0..<3))
        queue.close()
        let raw = try Connection(path: path)
        try raw.run(
            "UPDATE positions SET lat_e7 = ?, lon_e7 = ?, accuracy_cm = ? WHERE id = 2",
            latitude, longitude, accuracy)
        try raw.checkpoint(.truncate)
        #expect(try keptCrumbs(state).map { $0 == nil } == [false, true, false])
        // A boot that nobody knows is no boot.
        try raw.run("DELETE FROM boots")
        #expect(try keptCrumbs(state).map { $0 == nil } == [true, true, true])
    }

    @Test("have no number, are no part of the account, and survive a restart")
    func apart() throws {
        let queue = try open()
        let first = try queue.commit(SampleEvents.drafts(2), state: .none)
        queue.keep(crumbs(0..<100))
        let second = try queue.commit(SampleEvents.drafts(1), state: .none)
        #expect((first + second).map(\.position.sequence) == [1, 2, 3])
        #expect(queue.counts.enqueued == 3 && queue.counts.isBalanced)
        #expect(try queue.verify())
        #expect(queue.breadcrumbs == BreadcrumbCounts(kept: 100))
        queue.close()
        let again = try open()
        again.maintain(at: Uptime(milliseconds: 0))
        #expect(again.breadcrumbs?.kept == 100)
        again.keep(crumbs(100..<130))
        #expect(again.breadcrumbs == BreadcrumbCounts(kept: 130))
        #expect(
            try keptCrumbs(state).map { $0?.uptime.milliseconds } == (0..<130).map { $0 * 1000 })
        #expect(
            try keptCrumbs(state, newest: 7).map { $0?.uptime.milliseconds }
                == (123..<130).map { $0 * 1000 })
        #expect(try BreadcrumbReader(directory: state).count() == 130)
    }

    @Test("a killed agent has lost none that were written")
    func killed() throws {
        var queue: SQLiteEventQueue? = try open()
        queue?.keep(crumbs(0..<30))
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: state, toPath: copy.file("state"))
        // What a process that is killed leaves: the log as it is, its index of no use.
        try FileManager.default.removeItem(atPath: copy.file("state/positions.db-shm"))
        queue = nil
        #expect(try keptCrumbs(copy.file("state")).count == 30)
    }

    @Test("switched off nothing is written, and what there was is gone")
    func off() throws {
        let never = try open(0)
        never.keep(crumbs(0..<30))
        never.maintain(at: Uptime(milliseconds: 0))
        #expect(never.breadcrumbs == nil)
        #expect(!exists)
        never.close()
        let on = try open()
        on.keep(crumbs(0..<30))
        on.close()
        #expect(exists)
        // Who only sends what is there decides nothing.
        let drain = try SQLiteEventQueue(
            directory: state, deviceID: "van-7", hardwareID: "serial-1", isDrain: true,
            timekeeper: SettableTimekeeper(), log: log)
        drain.close()
        #expect(exists)
        try open(0).close()
        #expect(!exists)
        #expect(log.messages.contains { $0.contains("positions that were kept are deleted") })
    }

    @Test("that an earlier run left are counted, also where they give way before anybody looked")
    func leftAndGone() throws {
        let earlier = try open()
        earlier.keep(crumbs(0..<30))
        _ = try earlier.commit(SampleEvents.longDrafts(400), state: .none)
        earlier.close()
        // The events leave no room any more for positions.
        let queue = try open(maxBytes: 262_144)
        queue.keep(crumbs(30..<40))
        #expect(!exists)
        #expect(queue.breadcrumbs == BreadcrumbCounts(kept: 0, dropped: 30, lost: 10))
        #expect(log.messages.contains { $0.contains("all 30 positions gave way") })
    }

    @Test("beyond their bound the oldest give way, and each is counted")
    func bound() throws {
        let cap: Int64 = 262_144
        let queue = try open(cap)
        let total = 15_000
        for start in stride(from: 0, to: total, by: 100) {
            queue.keep(crumbs(start..<(start + 100)))
        }
        let counts = try #require(queue.breadcrumbs)
        #expect(counts.lost == 0)
        #expect(counts.kept + counts.dropped == Int64(total))
        #expect(counts.kept > 4000)
        let kept = try keptCrumbs(state).compactMap { $0?.uptime.milliseconds }
        #expect(Int64(kept.count) == counts.kept)
        #expect(kept == ((total - kept.count)..<total).map { Int64($0) * 1000 })
        queue.close()
        let size = try #require(SharedFolder.readFile(path)).count
        #expect(Int64(size) <= cap)
    }

    @Test(
        "no event is evicted while a position is kept, and together they keep to the queue's bound",
        arguments: [true, false])
    func eventsFirst(isDriving: Bool) throws {
        let maxBytes: Int64 = 786_432
        let queue = try open(524_288, maxBytes: maxBytes)
        for start in stride(from: 0, to: 9000, by: 300) {
            queue.keep(crumbs(start..<(start + 300)))
        }
        #expect(try #require(queue.breadcrumbs).kept > 8000)
        var second = 9000
        for _ in 0..<2000 where queue.counts.evicted == 0 {
            _ = try queue.commit(SampleEvents.longDrafts(10, .pass), state: .none)
            #expect(queue.counts.evicted == 0 || !exists)
            // Else the events of one moment need all of the room before the next group is written.
            guard isDriving else { continue }
            queue.keep(crumbs(second..<(second + 30)))
            second += 30
            let bytes = try [path, directory.file("state/queue.db")]
                .filter { FileManager.default.fileExists(atPath: $0) }
                .reduce(0) { try $0 + Connection(path: $1).databaseBytes() }
            #expect(bytes <= maxBytes)
        }
        #expect(queue.counts.evicted > 0)
        #expect(queue.counts.isBalanced)
        let counts = try #require(queue.breadcrumbs)
        #expect(counts.kept == 0)
        #expect(counts.dropped + counts.lost == Int64(second))
        #expect(try queue.verify())
    }

    @Test(
        "a damaged file is begun anew and costs no event",
        arguments: ["noise", "half", "empty", "middle"])
    func damage(kind: String) throws {
        let queue = try open()
        _ = try queue.commit(SampleEvents.drafts(5), state: .none)
        queue.keep(crumbs(0..<3000))
        queue.close()
        var bytes = try #require(SharedFolder.readFile(path))
        var generator = SeededGenerator(seed: 7)
        switch kind {
        case "noise": bytes = bytes.map { _ in UInt8.random(in: 0...255, using: &generator) }
        case "half": bytes = Array(bytes.prefix(bytes.count / 2))
        case "empty": bytes = []
        default: for index in 4096..<(bytes.count - 1024) { bytes[index] = 0xA5 }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let again = try open()
        again.maintain(at: Uptime(milliseconds: 0))
        again.keep(crumbs(0..<30))
        again.keep(crumbs(30..<60))
        again.keep(crumbs(60..<90))
        let kept = try keptCrumbs(state)
        #expect(kept.count >= 60, "\(kind)")
        #expect(kept.suffix(60).allSatisfy { $0 != nil })
        #expect(again.health == .durable)
        #expect(again.counts.pending == 5)
        #expect(try again.verify())
    }

    @Test("a file of a newer version is left alone")
    func newer() throws {
        let queue = try open()
        queue.keep(crumbs(0..<3))
        queue.close()
        let raw = try Connection(path: path)
        try raw.execute("PRAGMA user_version = 2")
        try raw.checkpoint(.truncate)
        let before = try #require(SharedFolder.readFile(path))
        let again = try open()
        again.maintain(at: Uptime(milliseconds: 0))
        again.keep(crumbs(3..<33))
        #expect(again.breadcrumbs == BreadcrumbCounts(lost: 30))
        again.close()
        #expect(try #require(SharedFolder.readFile(path)) == before)
        #expect(throws: QueueError.self) { try BreadcrumbReader(directory: state) }
    }

    @Test("what cannot be written is counted and said once, and the agent goes on")
    func refused() throws {
        let queue = try open()
        // A folder in the place of the file.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        for start in 0..<5 { queue.keep(crumbs(start..<(start + 30))) }
        #expect(queue.breadcrumbs == BreadcrumbCounts(lost: 150))
        #expect(log.messages.count { $0.contains("positions are not kept") } == 1)
        _ = try queue.commit(SampleEvents.drafts(1), state: .none)
        try FileManager.default.removeItem(atPath: path)
        queue.keep(crumbs(0..<30))
        #expect(queue.breadcrumbs == BreadcrumbCounts(kept: 30, lost: 150))
    }
}
