import AgentStorage
import Delivery
import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing
import Timekeeping

@Suite(
    "A file system in trouble",
    .enabled(if: SmallFileSystem.isPossible, "mounting is not allowed here"))
struct FileSystemTests {
    let log = LogCollector()

    @Test("of four megabytes is filled, and the queue goes on, bounded and balanced")
    func smallDisk() throws {
        let disk = try SmallFileSystem(megabytes: 4)
        let queue = try openQueue(
            in: disk.directory, limits: StorageLimits(), log: log)
        for _ in 0..<300 { _ = try queue.commit(SampleEvents.longDrafts(20), state: .none) }
        #expect(queue.health == .durable)
        #expect(queue.counts.evicted > 0)
        #expect(queue.counts.isBalanced)
        #expect(try queue.verify())
        #expect(queue.counts.pending > 500)
        queue.close()
        let again = try openQueue(in: disk.directory, limits: StorageLimits(), log: log)
        #expect(again.counts.isBalanced)
        #expect(again.health == .durable)
    }

    @Test(
        "of one megabyte or a little more has room for the queue's own files, also after a kill",
        arguments: [1024, 1280, 1536, 2048])
    func tinyDisk(kibibytes: Int) throws {
        let disk = try SmallFileSystem(kibibytes: kibibytes)
        let queue = try openQueue(in: disk.directory, limits: StorageLimits(), log: log)
        for round in 0..<200 {
            _ = try queue.commit(SampleEvents.longDrafts(20), state: .none)
            try #require(queue.health == .durable, "\(kibibytes) KiB, round \(round)")
        }
        #expect(queue.counts.evicted > 0 && queue.counts.isBalanced)
        #expect(queue.counts.pending > 300)
        #expect(try queue.verify())
        // As a killed process leaves them.
        let copy = try SmallFileSystem(kibibytes: kibibytes)
        try FileManager.default.createDirectory(
            atPath: copy.directory.file("state"), withIntermediateDirectories: false)
        for name in ["queue.db", "queue.db-wal", "queue.epoch"] {
            try FileManager.default.copyItem(
                atPath: disk.directory.file("state/\(name)"),
                toPath: copy.directory.file("state/\(name)"))
        }
        let again = try openQueue(in: copy.directory, limits: StorageLimits(), log: log)
        #expect(again.health == .durable, "\(log.messages.suffix(3))")
        #expect(again.counts.pending == queue.counts.pending)
        for _ in 0..<50 { _ = try again.commit(SampleEvents.longDrafts(20), state: .none) }
        #expect(again.health == .durable && again.counts.isBalanced)
    }

    @Test("that stays full is used again once the server has taken what memory offered")
    func fullAndDelivered() throws {
        let disk = try SmallFileSystem(megabytes: 3)
        let first = try openQueue(in: disk.directory, log: log)
        for _ in 0..<50 { _ = try first.commit(SampleEvents.longDrafts(20), state: .none) }
        try first.settle((1...3).map { Settlement(key: $0, fate: .dead(code: "no")) })
        first.close()
        // A while without a disk, which is nearly full when it is back.
        try disk.setReadOnly(true)
        let clock = SettableTimekeeper()
        let queue = try openQueue(in: disk.directory, log: log, timekeeper: clock)
        for _ in 0..<12 { _ = try queue.commit(SampleEvents.longDrafts(20), state: .none) }
        #expect(queue.health != .durable)
        let offered = try queue.pending(everything)
        #expect(offered.count == 1237)
        try queue.settle(offered.map { Settlement($0, .acknowledged) })
        try disk.setReadOnly(false)
        try disk.fill(leaving: 300_000)
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        #expect(queue.health == .durable, "\(log.messages.suffix(3))")
        #expect(queue.counts.enqueued == 1240 && queue.counts.acknowledged == 1237)
        #expect(queue.counts.isBalanced)
        #expect(try queue.verify())
        #expect(try queue.deadLetters(limit: 9).map(\.key) == [3, 2, 1], "there was room for them")
    }

    @Test(
        "that stays full takes at the stop what it can in half a second", arguments: [false, true])
    func fullAtTheStop(isSlow: Bool) throws {
        let disk = try SmallFileSystem(megabytes: 3)
        let first = try openQueue(in: disk.directory, log: log)
        for _ in 0..<50 { _ = try first.commit(SampleEvents.longDrafts(20), state: .none) }
        first.close()
        try disk.setReadOnly(true)
        let clock: any Timekeeper = isSlow ? HastyTimekeeper() : SettableTimekeeper()
        let queue = try openQueue(in: disk.directory, log: log, timekeeper: clock)
        for _ in 0..<12 { _ = try queue.commit(SampleEvents.longDrafts(20), state: .none) }
        let offered = try queue.pending(everything)
        try queue.settle(offered.map { Settlement($0, .acknowledged) })
        try disk.setReadOnly(false)
        try disk.fill(leaving: 300_000)
        queue.close()
        let again = try openQueue(in: disk.directory, log: log)
        #expect(again.health == .durable && again.counts.isBalanced)
        if isSlow {
            // Each look at the clock takes 200 ms: two lots, and the rest is sent again.
            #expect(again.counts.acknowledged == 256 && again.counts.pending == 744)
        } else {
            #expect(again.counts.acknowledged == 1240 && again.counts.pending == 0)
        }
        #expect(try again.verify())
    }

    @Test("that others fill to the brim has the log copied before anything is given up")
    func logFirst() throws {
        let disk = try SmallFileSystem(megabytes: 8)
        let queue = try openQueue(in: disk.directory, log: log)
        for _ in 0..<20 { _ = try queue.commit(SampleEvents.drafts(100), state: .none) }
        try queue.settle([Settlement(key: 1, fate: .dead(code: "no"))])
        try queue.settle(
            try queue.pending(everything).map { Settlement($0, .acknowledged) })
        let reader = try Connection(path: disk.directory.file("state/queue.db"))
        // A connection that has read nothing copies nothing.
        try #require(try reader.first("SELECT count(*) FROM meta", read: { $0.int(0) }) ?? 0 > 0)
        try reader.checkpoint(.truncate)
        let acknowledged = try queue.events(after: 1, limit: 10_000).count
        try disk.fill(leaving: 100_000)
        // Enough for the log to meet the end of the disk more than once.
        for _ in 0..<80 { _ = try queue.commit(SampleEvents.drafts(5), state: .none) }
        #expect(log.messages.contains { $0.contains("storage: SQLite error") })
        #expect(queue.health == .durable)
        #expect(try queue.deadLetters(limit: 9).map(\.key) == [1])
        #expect(try queue.events(after: 1, limit: 10_000).count == acknowledged + 400)
        #expect(queue.counts.pending == 400 && queue.counts.evicted == 0)
        #expect(try queue.verify())
    }

    @Test("that others fill makes no event give way where that frees nothing")
    func filledBesideLargeFile() throws {
        let disk = try SmallFileSystem(megabytes: 4)
        let first = try openQueue(in: disk.directory, limits: StorageLimits(), log: log)
        let path = disk.directory.file("state/queue.db")
        _ = try first.commit(SampleEvents.longDrafts(1), state: .none)
        try first.settle([Settlement(key: 1, fate: .dead(code: "no"))])
        let reader = try Connection(path: path)
        for _ in 0..<80 where fileSize(path) < 880_000 {
            _ = try first.commit(SampleEvents.longDrafts(100), state: .none)
            try reader.checkpoint(.passive)
        }
        // A thousand acknowledged ones are kept, the rest leave room within the file.
        let removed = try first.pending(.oldest(limit: 1300, maxBytes: .max, excluding: []))
        try first.settle(removed.map { Settlement($0, .acknowledged) })
        let pending = first.counts.pending
        first.close()
        let size = fileSize(path)
        #expect(size > 850_000 && size < 1_000_000)
        // The ballast was given up before.
        try FileManager.default.removeItem(atPath: disk.directory.file("state/ballast"))
        try disk.fill(leaving: 50_000)
        let queue = try openQueue(in: disk.directory, limits: StorageLimits(), log: log)
        #expect(queue.health == .durable, "\(log.messages)")
        _ = try queue.commit(SampleEvents.longDrafts(1), state: .none)
        #expect(queue.health == .durable && queue.counts.evicted == 0)
        #expect(queue.counts.pending == pending + 1)
        #expect(try queue.deadLetters(limit: 9).map(\.key) == [1])
        #expect(try queue.verify())
    }

    private func fileSize(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    @Test("that others fill costs the positions first: no event, and not the ballast")
    func positionsFirst() throws {
        let disk = try SmallFileSystem(megabytes: 10)
        let queue = try openQueue(
            in: disk.directory, limits: StorageLimits(breadcrumbBytes: 6_291_456), log: log)
        for start in stride(from: 0, to: 15_000, by: 500) {
            queue.keep(crumbs(start..<(start + 500)))
        }
        let before = try #require(queue.breadcrumbs)
        #expect(before.kept == 15_000)
        // Nearly full: some give way and the file becomes smaller.
        try disk.fill(leaving: 1_000_000)
        for _ in 0..<20 { _ = try queue.commit(SampleEvents.longDrafts(10), state: .none) }
        let between = try #require(queue.breadcrumbs)
        #expect(between.dropped > 0 && between.kept > 0)
        #expect(queue.counts.evicted == 0)
        // To the brim, until there are none left.
        try disk.fill(leaving: 0, named: "more")
        for _ in 0..<400 where queue.breadcrumbs?.kept != 0 {
            _ = try queue.commit(SampleEvents.longDrafts(5), state: .none)
            #expect(queue.counts.evicted == 0)
            let hasBallast = access(disk.directory.file("state/ballast"), F_OK) == 0
            #expect(hasBallast || queue.breadcrumbs?.kept == 0)
        }
        #expect(queue.breadcrumbs?.kept == 0)
        #expect(access(disk.directory.file("state/positions.db"), F_OK) != 0)
        #expect(queue.health == .durable)
        #expect(queue.counts.isBalanced)
        #expect(try queue.verify())
    }

    @Test("that others fill to the brim costs the ballast first, then memory, then recovers")
    func filledByOthers() throws {
        let disk = try SmallFileSystem(megabytes: 8)
        let clock = SettableTimekeeper()
        let queue = try openQueue(
            in: disk.directory, limits: StorageLimits(), log: log, timekeeper: clock)
        var enqueued: Int64 = 0
        func commit(_ rounds: Int) throws {
            for _ in 0..<rounds {
                enqueued += Int64(
                    try queue.commit(SampleEvents.longDrafts(5), state: .none).count)
            }
        }
        try commit(20)
        #expect(FileManager.default.fileExists(atPath: disk.directory.file("state/ballast")))
        try disk.fill(leaving: 0)
        try commit(120)
        #expect(!FileManager.default.fileExists(atPath: disk.directory.file("state/ballast")))
        #expect(queue.counts.isBalanced)
        try disk.fillAgain()
        try commit(400)
        #expect(queue.counts.isBalanced)
        let told = log.messages.joined(separator: "\n")
        #expect(told.contains("ballast"))
        try FileManager.default.removeItem(atPath: disk.directory.file("filler"))
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        queue.maintain(at: clock.uptime)
        #expect(queue.health == .durable, "\(told)")
        try commit(1)
        #expect(queue.counts.isBalanced)
        #expect(queue.counts.enqueued == enqueued)
        #expect(try queue.verify())
        #expect(FileManager.default.fileExists(atPath: disk.directory.file("state/ballast")))
    }

    @Test("that has no room for a salvage keeps the damaged file, and salvages all of it later")
    func noRoomForSalvage() throws {
        let disk = try SmallFileSystem(megabytes: 8)
        let clock = SettableTimekeeper()
        let first = try openQueue(in: disk.directory, limits: StorageLimits(), log: log)
        let old = try first.commit(SampleEvents.longDrafts(1200), state: .none)
        first.close()
        let path = disk.directory.file("state/queue.db")
        let raw = try Connection(path: path)
        try raw.run("UPDATE meta SET value = '0' WHERE name = 'clean'")
        try raw.run("DELETE FROM events WHERE key = 600")
        try raw.checkpoint(.truncate)
        try disk.fill(leaving: 100_000)
        let queue = try openQueue(
            in: disk.directory, limits: StorageLimits(), log: log, timekeeper: clock)
        guard case .diskFull = queue.health else {
            Issue.record("\(queue.health)")
            return
        }
        #expect(try queue.pending(everything).first?.clientEventID == old[0].clientEventID)
        let new = try queue.commit(SampleEvents.drafts(3), state: .none)
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        #expect(queue.health != .durable)
        try FileManager.default.removeItem(atPath: disk.directory.file("filler"))
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        #expect(queue.health == .durable, "\(log.messages)")
        let pending = try queue.pending(everything)
        let wanted = Set((old + new).map(\.clientEventID))
            .subtracting([old[599].clientEventID])
        #expect(Set(pending.map(\.clientEventID)).isSuperset(of: wanted))
        #expect(pending.count == wanted.count + 1)
        #expect(pending.filter { $0.kind == .stateReset }.count == 1)
        #expect(queue.counts.enqueued == 1204 && queue.counts.evicted == 1)
        #expect(try queue.verify())
    }

    @Test("that has no room for a salvage does not stop the agent, whatever cannot be read")
    func noRoomAndNoNumbers() throws {
        let disk = try SmallFileSystem(megabytes: 8)
        let clock = SettableTimekeeper()
        let first = try openQueue(in: disk.directory, limits: StorageLimits(), log: log)
        let old = try first.commit(SampleEvents.longDrafts(1200), state: .none)
        first.close()
        let path = disk.directory.file("state/queue.db")
        let page = try #require(
            try Connection(path: path, mode: .readOnly).first(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'",
                read: { $0.int(0) }))
        var bytes = try #require(SharedFolder.readFile(path))
        for index in (page - 1) * 1024..<page * 1024 { bytes[index] = 0 }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try disk.fill(leaving: 100_000)
        let queue = try openQueue(
            in: disk.directory, limits: StorageLimits(), log: log, timekeeper: clock)
        guard case .diskFull = queue.health else {
            Issue.record("\(queue.health)")
            return
        }
        #expect(try queue.pending(everything).first?.clientEventID == old[0].clientEventID)
        try FileManager.default.removeItem(atPath: disk.directory.file("filler"))
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        #expect(queue.health == .durable, "\(log.messages)")
        #expect(queue.counts.pending == 1201 && queue.counts.evicted == 0)
        #expect(try queue.verify())
    }
}

/// A clock that goes on by 200 ms whenever it is read.
private final class HastyTimekeeper: Timekeeper {
    private let reads = Atomic<Int64>(0)
    private let base = SettableTimekeeper()

    var bootID: BootID { base.bootID }
    var wallClock: WallClockReading { base.wallClock }
    var uptime: Uptime {
        let before = reads.wrappingAdd(1, ordering: .relaxed).oldValue
        return base.uptime.advanced(byMilliseconds: before * 200)
    }
}
