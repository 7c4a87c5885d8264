import Delivery
import Foundation
import Geofencing
import SQLite
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import AgentStorage

@Suite("A restart")
struct RestartTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("after an orderly stop finds everything, and goes on counting")
    func orderly() throws {
        var queue = try openQueue(in: directory)
        let anchor = ClockAnchor(
            bootID: SampleEvents.bootID, uptime: Uptime(milliseconds: 5),
            utc: UTCTime(millisecondsSince1970: 6), source: .disciplined)
        let events = try queue.commit(
            SampleEvents.drafts(3),
            state: StateUpdate(values: [.pipeline: [1, 2, 3]], clockAnchor: anchor))
        try queue.settle([Settlement(key: 1, fate: .acknowledged)])
        let rows = try queue.pending(everything)
        let counts = queue.counts
        let epoch = queue.epoch
        queue.close()
        queue = try openQueue(in: directory)
        #expect(queue.epoch == epoch)
        #expect(queue.counts == counts)
        #expect(try queue.pending(everything) == rows)
        #expect(try queue.state(.pipeline) == [1, 2, 3])
        #expect(queue.clockAnchors == [anchor])
        let next = try queue.commit(SampleEvents.drafts(1), state: .none)
        #expect(next.map(\.position.sequence) == [4])
        #expect(!events.map(\.clientEventID).contains(next[0].clientEventID))
        #expect(try queue.verify())
    }

    @Test("never gives a sequence number out twice, even when its event is long gone")
    func sequenceIsNotReused() throws {
        var queue = try openQueue(in: directory)
        _ = try queue.commit(SampleEvents.drafts(2), state: .none)
        try queue.settle([1, 2].map { Settlement(key: $0, fate: .acknowledged) })
        queue.close()
        let raw = try Connection(path: directory.file("state/queue.db"))
        try raw.run("DELETE FROM events")
        try raw.run("UPDATE counters SET kept_acknowledged = 0")
        queue = try openQueue(in: directory)
        #expect(
            try queue.commit(SampleEvents.drafts(1), state: .none).map(\.position.sequence) == [3])
    }

    @Test("a cut anywhere in the log leaves whole commits, the first ones, and balanced counters")
    func tornLog() throws {
        let queue = try openQueue(in: directory)
        var sizes: [Int] = []
        for number in 1...12 {
            _ = try queue.commit(
                SampleEvents.drafts(2), state: StateUpdate(values: [.pipeline: [UInt8(number)]]))
            sizes.append(try bytes("queue.db-wal").count)
        }
        let database = try bytes("queue.db")
        let log = try bytes("queue.db-wal")
        let seed = UInt64.random(in: 0..<1_000_000)
        print("cuts of seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let cuts =
            sizes + sizes.map { $0 - 1 }
            + (0..<40).map { _ in Int.random(in: 0...log.count, using: &generator) }
        for cut in cuts {
            let copy = try TemporaryDirectory()
            try FileManager.default.createDirectory(
                atPath: copy.file("state"), withIntermediateDirectories: true)
            try Data(database).write(to: URL(fileURLWithPath: copy.file("state/queue.db")))
            try Data(log.prefix(cut)).write(
                to: URL(fileURLWithPath: copy.file("state/queue.db-wal")))
            let whole = sizes.filter { $0 <= cut }.count
            let reopened = try openQueue(in: copy)
            #expect(reopened.counts.enqueued == Int64(2 * whole), "cut at \(cut)")
            #expect(reopened.counts.isBalanced)
            #expect(try reopened.verify())
            #expect(
                try reopened.state(.pipeline) == (whole == 0 ? nil : [UInt8(whole)]),
                "cut at \(cut)")
            #expect(
                try reopened.pending(everything).map(\.position.sequence)
                    == Array(1..<Int64(2 * whole + 1)))
            let next = try reopened.commit(SampleEvents.drafts(1), state: .none)
            #expect(next.map(\.position.sequence) == [Int64(2 * whole + 1)], "cut at \(cut)")
        }
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        try #require(SharedFolder.readFile(directory.file("state/\(name)")))
    }

    @Test("has each event of commits of any size in a row of its own")
    func sizes() throws {
        let queue = try openQueue(in: directory)
        var events: [Event] = []
        for count in [1, 9, 10, 11, 0, 20, 29, 100] {
            events += try queue.commit(SampleEvents.drafts(count), state: .none)
        }
        queue.close()
        let again = try openQueue(in: directory)
        let pending = try again.pending(everything)
        #expect(pending.map(\.key) == Array(1...180))
        #expect(pending.map(\.position) == events.map(\.position))
        for (row, event) in zip(pending, events) {
            let wire = try WireCoding.decode(WireEvent.self, from: row.payload)
            #expect(wire == WireEvent(event))
            #expect(row.clientEventID == event.clientEventID && row.kind == event.content.kind)
        }
        #expect(try again.verify())
    }

    @Test("names an event by device, epoch, boot and sequence, and a visit by its enter, alone")
    func names() throws {
        // Python: uuid.UUID of hashlib.sha256("\n".join(fields)).digest()[:16] with version 8.
        let event = try EventIdentity.event(
            deviceID: "van-7",
            position: QueuePosition(epoch: "0123456789abcdef0123456789abcdef", sequence: 42),
            bootID: BootID("00112233445566778899aabbccddeeff"))
        #expect(event.text == "583ac427-9840-803e-b317-7f13cf1f6a43")
        #expect(UUIDBytes(text: event.text) == event)
        let visit = try EventIdentity.visit(
            deviceID: "van-7", fenceID: "depot", enterEventID: event)
        #expect(visit.text == "29c44703-cb8f-8416-a0b1-0742c7d988bf")
    }

    @Test("on the hardware of another device starts an epoch, and keeps the old events' names")
    func clonedCard() throws {
        var queue = try openQueue(in: directory, hardwareID: "serial-1")
        let old = try queue.commit(
            SampleEvents.drafts(3), state: StateUpdate(values: [.pipeline: [1], .fences: [2]]))
        try queue.settle([Settlement(key: 2, fate: .acknowledged)])
        queue.close()
        for serial in ["serial-2", "serial-3"] {
            queue = try openQueue(in: directory, hardwareID: serial)
            #expect(!old.map(\.position.epoch).contains(queue.epoch))
            let new = try queue.commit(SampleEvents.drafts(1), state: .none)
            #expect(new.map(\.position.sequence) == [1])
            let pending = try queue.pending(everything)
            #expect(
                pending.prefix(2).map(\.clientEventID) == [old[0], old[2]].map(\.clientEventID))
            #expect(pending.prefix(2).map(\.position) == [old[0], old[2]].map(\.position))
            #expect(pending.last?.clientEventID == new[0].clientEventID)
            #expect(try queue.state(.pipeline) == nil)
            #expect(try queue.state(.fences) == [2])
            #expect(try queue.verify())
            queue.close()
        }
        queue = try openQueue(in: directory, hardwareID: nil)
        #expect(queue.counts.pending == 4)
        #expect(try queue.commit(SampleEvents.drafts(1), state: .none)[0].position.sequence == 2)
    }

    @Test("of a copy that was put back numbers nothing twice: it starts an epoch")
    func restoredCopy() throws {
        let file = directory.file("state/queue.db")
        let log = LogCollector()
        let reopened = { (birth: Int64?) in
            try openQueue(in: directory, fileBirth: { $0 == file ? birth : nil }, log: log)
        }
        var queue = try reopened(1)
        let old = try queue.commit(
            SampleEvents.drafts(2), state: StateUpdate(values: [.pipeline: [1]]))
        try queue.settle([Settlement(key: 1, fate: .acknowledged)])
        queue.close()
        try FileManager.default.copyItem(atPath: file, toPath: file + ".copy")
        queue = try reopened(1)
        #expect(queue.epoch == old[0].position.epoch)
        let since = try queue.commit(SampleEvents.drafts(3), state: .none)
        try queue.settle([2, 3, 4].map { Settlement(key: $0, fate: .acknowledged) })
        queue.close()
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: file + ".copy", toPath: file)
        // Where the file system does not say when a file was made, nothing is known of a copy.
        for birth in [2, nil, 2] as [Int64?] {
            queue = try reopened(birth)
            #expect(queue.epoch != old[0].position.epoch)
            #expect(try queue.state(.pipeline) == nil)
            let new = try queue.commit(SampleEvents.drafts(1), state: .none)
            #expect(!(old + since).map(\.position).contains(new[0].position))
            #expect(!(old + since).map(\.clientEventID).contains(new[0].clientEventID))
            #expect(try queue.pending(everything)[0].clientEventID == old[1].clientEventID)
            #expect(try queue.verify())
            queue.close()
        }
        let told = log.messages.filter { $0.contains("the file is a copy") }
        #expect(told.count == 1)
    }

    @Test("refuses a second process and names the first")
    func secondInstance() throws {
        let queue = try openQueue(in: directory)
        let error = thrown(QueueError.self) { _ = try openQueue(in: directory) }
        #expect(
            error
                == .heldByAnotherProcess(
                    path: directory.file("state/queue.lock"), pid: getpid()))
        queue.close()
        _ = try openQueue(in: directory)
    }

    @Test("refuses a file of a newer version and leaves it untouched")
    func newerVersion() throws {
        try openQueue(in: directory).close()
        do {
            let raw = try Connection(path: directory.file("state/queue.db"))
            try raw.setPragma("user_version", 99)
            try raw.checkpoint(.truncate)
        }
        let before = try bytes("queue.db")
        let error = thrown(QueueError.self) { _ = try openQueue(in: directory) }
        guard case .newerVersion(_, found: 99, supported: 3) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try bytes("queue.db") == before)
    }

    @Test("keeps its files for its own user")
    func permissions() throws {
        let old = umask(0)
        defer { umask(old) }
        let queue = try openQueue(in: directory, limits: StorageLimits())
        _ = try queue.commit(SampleEvents.drafts(1), state: .none)
        try queue.backUp(to: directory.file("backup.db"))
        var names = try FileManager.default.contentsOfDirectory(atPath: directory.file("state"))
            .map { "state/\($0)" }
        #expect(names.count == 6)
        names.append("backup.db")
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: directory.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        let folder = try FileManager.default.attributesOfItem(atPath: directory.file("state"))
        #expect(folder[.posixPermissions] as? Int == 0o700)
    }

    @Test("leaves a folder that exists as it is, and says who else may look into it")
    func existingFolder() throws {
        let log = LogCollector()
        mkdir(directory.file("state"), 0o700)
        chmod(directory.file("state"), 0o755)
        let queue = try openQueue(in: directory, limits: StorageLimits(), log: log)
        _ = try queue.commit(SampleEvents.drafts(1), state: .none)
        let folder = try FileManager.default.attributesOfItem(atPath: directory.file("state"))
        #expect(folder[.posixPermissions] as? Int == 0o755)
        #expect(log.messages.contains { $0.contains("mode 0755 lets others look into it") })
    }

    @Test("is configured as the design says")
    func pragmas() throws {
        let queue = try openQueue(in: directory)
        _ = try queue.commit(SampleEvents.drafts(1), state: .none)
        let connection = try #require(queue.store).connection
        let expected = [
            "journal_mode": "wal", "synchronous": "2", "page_size": "1024",
            "wal_autocheckpoint": "512", "temp_store": "2", "journal_size_limit": "1048576",
            "max_page_count": "65536", "busy_timeout": "5000",
        ]
        for (name, value) in expected {
            #expect(try connection.pragma(name) == value, "\(name)")
        }
        // No second index on the events, and every table is strict.
        let indexes = try connection.query(
            "SELECT name FROM sqlite_schema WHERE tbl_name = 'events'", read: { $0.text(0) })
        #expect(indexes == ["events"])
        let lax = try connection.query(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND NOT strict "
                + "AND name NOT LIKE 'sqlite_%'", read: { $0.text(0) })
        #expect(lax.isEmpty)
    }

    @Test("can be looked into beside the agent, and without it on a read-only disk")
    func reader() throws {
        let queue = try openQueue(in: directory)
        let events = try queue.commit(
            SampleEvents.drafts(3), state: StateUpdate(values: [.fences: [7]]))
        try queue.settle([Settlement(key: 2, fate: .dead(code: "no"))])
        for isRunning in [true, false] {
            if !isRunning {
                queue.close()
                try FileManager.default.removeItem(atPath: directory.file("state/queue.lock"))
                chmod(directory.file("state"), 0o500)
            }
            let reader = try SQLiteQueueReader(directory: directory.file("state"))
            #expect(reader.epoch == events[0].position.epoch)
            let counts = try reader.counts()
            #expect(counts.enqueued == 3 && counts.pending == 2 && counts.dead == 1)
            #expect(try reader.defects().isEmpty)
            #expect(try reader.events(after: nil, limit: 9).count == 3)
            #expect(try reader.deadLetters(limit: 9).map(\.key) == [2])
            #expect(try reader.state(.fences) == [7])
        }
        chmod(directory.file("state"), 0o700)
        let error = thrown(QueueError.self) {
            _ = try SQLiteQueueReader(directory: directory.file("nowhere"))
        }
        #expect(error?.description.contains("nowhere") == true)
    }
}
