import Delivery
import Foundation
import SQLite
import TestSupport
import Testing
import WireFormat

@testable import AgentStorage

@Suite("A queue that is full")
struct CapacityTests {
    let directory: TemporaryDirectory
    let log = LogCollector()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var small: StorageLimits { StorageLimits(maxBytes: 524_288, ballastBytes: 65_536) }

    @Test("lets the oldest of the least important kind go, counts and tells it")
    func eviction() throws {
        let queue = try openQueue(in: directory, limits: small, log: log)
        let visits = try queue.commit(SampleEvents.longDrafts(20, .visitStarted), state: .none)
        _ = try queue.commit(SampleEvents.longDrafts(20, .enter), state: .none)
        _ = try queue.commit(SampleEvents.longDrafts(100, .pass), state: .none)
        var told: [EvictedRange] = []
        for _ in 0..<240 {
            for event in try queue.commit(SampleEvents.longDrafts(10, .exit), state: .none) {
                if let range = event.content.evicted { told.append(range) }
            }
        }
        #expect(told.first?.kind == .pass)
        #expect(told.first?.firstSequence == 41)
        let order = told.map(\.kind)
        #expect(order.prefix { $0 == .pass }.count < order.count)
        #expect(!order.contains(.visitStarted))
        #expect(told.reduce(0) { $0 + $1.count } == queue.counts.evicted)
        #expect(queue.counts.isBalanced)
        #expect(try queue.verify())
        #expect(queue.health == .durable)
        let pending = try queue.pending(everything)
        #expect(pending.filter { $0.kind == .visitStarted }.count == visits.count)
        #expect(pending.filter { $0.kind == .queueEvicted }.count == told.count)
        #expect(pending.filter { $0.kind == .pass }.isEmpty)
        let size = try #require(SharedFolder.readFile(directory.file("state/queue.db"))).count
        #expect(size <= 524_288)
        queue.close()
        #expect(try openQueue(in: directory, limits: small, log: log).counts.isBalanced)
    }

    @Test("takes acknowledged events first, which cost nobody anything")
    func settledFirst() throws {
        let queue = try openQueue(in: directory, limits: small, log: log)
        _ = try queue.commit(SampleEvents.longDrafts(300), state: .none)
        try queue.settle((1...300).map { Settlement(key: $0, fate: .acknowledged) })
        _ = try queue.commit(SampleEvents.longDrafts(300), state: .none)
        #expect(queue.counts.evicted == 0)
        #expect(queue.counts.pending == 300)
        #expect(try queue.verify())
    }

    @Test("gives up no dead letter where acknowledged events are enough")
    func acknowledgedBeforeDead() throws {
        let queue = try openQueue(in: directory, limits: small, log: log)
        _ = try queue.commit(SampleEvents.drafts(600), state: .none)
        try queue.settle((1...3).map { Settlement(key: $0, fate: .dead(code: "x")) })
        try queue.settle((4...600).map { Settlement(key: $0, fate: .acknowledged) })
        while try queue.events(after: 3, limit: 1).first?.status == .acknowledged {
            _ = try queue.commit(SampleEvents.drafts(20), state: .none)
        }
        #expect(queue.counts.evicted == 0)
        #expect(try queue.deadLetters(limit: 9).map(\.key) == [3, 2, 1])
        #expect(try queue.verify())
    }

    @Test("gives up the oldest dead letters, no more than it takes, before any event that waits")
    func oldestDeadFirst() throws {
        let queue = try openQueue(in: directory, limits: small, log: log)
        _ = try queue.commit(SampleEvents.longDrafts(600), state: .none)
        try queue.settle((1...600).map { Settlement(key: $0, fate: .dead(code: "x")) })
        var kept = 600
        var steps = 0
        while kept > 0 {
            _ = try queue.commit(SampleEvents.longDrafts(5), state: .none)
            let keys = try queue.deadLetters(limit: 1000).map(\.key)
            #expect(keys == Array((601 - Int64(keys.count)..<601).reversed()))
            if keys.count < kept { steps += 1 }
            kept = keys.count
            #expect(kept == 0 || queue.counts.evicted == 0)
        }
        #expect(steps > 1 && queue.counts.dead == 600)
        #expect(try queue.verify())
    }

    @Test("gives up no dead letter in vain, and no more than a large state needs")
    func deadInVain() throws {
        let clock = SettableTimekeeper()
        let queue = try openQueue(in: directory, limits: small, log: log, timekeeper: clock)
        _ = try queue.commit(SampleEvents.longDrafts(600), state: .none)
        try queue.settle((1...600).map { Settlement(key: $0, fate: .dead(code: "x")) })
        let room = try 524_288 - #require(queue.store).usedBytes()
        func write(_ bytes: Int64) throws {
            let value = [UInt8](repeating: 1, count: Int(bytes))
            _ = try queue.commit([], state: StateUpdate(values: [.fences: value]))
        }
        try write(room + 30_000)
        #expect(queue.health == .durable)
        let kept = try queue.deadLetters(limit: 1000).count
        #expect((250...350).contains(kept), "\(kept)")
        try write(900_000)
        #expect(queue.health != .durable)
        try write(1)
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        #expect(queue.health == .durable)
        #expect(try queue.deadLetters(limit: 1000).count == kept)
        #expect(queue.counts.dead == 600)
        #expect(try queue.verify())
    }

    @Test("that was full and has room again gives up no dead letter")
    func roomAgain() throws {
        let queue = try openQueue(in: directory, limits: small, log: log)
        let store = try #require(queue.store)
        // Until the next commit would have to make room.
        while try store.usedBytes() < 420_000 {
            _ = try queue.commit(SampleEvents.longDrafts(1), state: .none)
        }
        #expect(queue.counts.evicted == 0)
        try queue.settle([Settlement(key: 1, fate: .dead(code: "x"))])
        try queue.settle(try queue.pending(everything).map { Settlement($0, .acknowledged) })
        var counters = store.counters
        try store.connection.transaction { () throws(SQLiteError) in
            try store.deleteAcknowledged(500, &counters)
            try store.write(counters)
        }
        store.replaceCounters(counters)
        _ = try queue.commit(SampleEvents.longDrafts(10), state: .none)
        #expect(try queue.deadLetters(limit: 9).map(\.key) == [1])
        #expect(try queue.verify())
    }

    @Test("keeps the newest thousand acknowledged events, and dead letters beside them")
    func retention() throws {
        let queue = try openQueue(in: directory, log: log)
        for round in 0..<12 {
            _ = try queue.commit(SampleEvents.longDrafts(200), state: .none)
            let keys = try queue.pending(everything).map(\.key)
            let fate: Settlement.Fate = round < 8 ? .acknowledged : .dead(code: "x")
            try queue.settle(keys.map { Settlement(key: $0, fate: fate) })
        }
        #expect(queue.counts.acknowledged == 1600 && queue.counts.dead == 800)
        let rows = try queue.events(after: nil, limit: 10_000)
        let kept = rows.filter { $0.status == .acknowledged }
        #expect((1000...1128).contains(kept.count))
        #expect(kept.map(\.key).max() == 1600)
        #expect(try queue.verify())
    }

    @Test("keeps dead letters of a megabyte, the newest, and counts all")
    func deadLetterBytes() throws {
        let queue = try openQueue(in: directory, log: log)
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<8 {
            // Long, and not to be packed.
            let drafts = SampleEvents.longDrafts(100).map { draft in
                var long = draft
                long.reason = (0..<128).map { _ in String(generator.next(), radix: 36) }.joined()
                return long
            }
            _ = try queue.commit(drafts, state: .none)
            try queue.settle(
                try queue.pending(everything).map { Settlement($0, .dead(code: "x")) })
        }
        #expect(queue.counts.dead == 800)
        let kept = try queue.deadLetters(limit: 1000).map(\.key)
        #expect((300...700).contains(kept.count) && kept.max() == 800)
        #expect(kept.min() == 801 - Int64(kept.count))
        #expect(try queue.verify())
    }

    @Test("of state that does not fit goes to memory, and comes back with what happened there")
    func memoryAndBack() throws {
        let clock = SettableTimekeeper()
        let queue = try openQueue(
            in: directory, limits: small, log: log, timekeeper: clock)
        let onDisk = try queue.commit(SampleEvents.drafts(3), state: .none)
        #expect(FileManager.default.fileExists(atPath: directory.file("state/ballast")))
        let huge = [UInt8](repeating: 1, count: 900_000)
        let inMemory = try queue.commit(
            SampleEvents.drafts(2), state: StateUpdate(values: [.fences: huge]))
        guard case .diskFull = queue.health else {
            Issue.record("\(queue.health)")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: directory.file("state/ballast")))
        #expect(inMemory[0].position.sequence == 1)
        #expect(inMemory[0].position.epoch != onDisk[0].position.epoch)
        #expect(
            try queue.pending(everything).map(\.clientEventID)
                == (onDisk + inMemory).map(\.clientEventID))
        #expect(queue.counts.isBalanced)
        let carried = try queue.pending(everything)
        try queue.settle([
            Settlement(key: carried[0].key, fate: .acknowledged),
            Settlement(key: carried[1].key, fate: .dead(code: "x")),
            Settlement(key: carried[3].key, fate: .acknowledged),
        ])
        // Still too large: it stays in memory.
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        #expect(queue.health != .durable)
        _ = try queue.commit([], state: StateUpdate(values: [.fences: [5], .pipeline: [6]]))
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        #expect(queue.health == .durable)
        #expect(
            Set(try queue.pending(everything).map(\.clientEventID))
                == [onDisk[2].clientEventID, inMemory[1].clientEventID])
        let counts = queue.counts
        #expect(
            [counts.enqueued, counts.acknowledged, counts.dead, counts.pending, counts.evicted]
                == [5, 2, 1, 2, 0])
        #expect(try queue.verify())
        #expect(try queue.state(.pipeline) == [6])
        #expect(try queue.state(.fences) == [5])
        queue.close()
        let again = try openQueue(in: directory, limits: small, log: log)
        #expect(again.counts == counts)
        #expect(
            try again.commit(SampleEvents.drafts(1), state: .none)[0].position
                == QueuePosition(epoch: onDisk[0].position.epoch, sequence: 4))
    }

    @Test("in memory keeps 256 events, and counts and tells what it drops")
    func memoryBound() throws {
        // A file stands where the folder should be.
        try Data().write(to: URL(fileURLWithPath: directory.file("state")))
        let queue = try openQueue(in: directory, log: log)
        guard case .storageReadOnly(let reason) = queue.health else {
            Issue.record("\(queue.health)")
            return
        }
        #expect(reason.contains("state"))
        var told: Int64 = 0
        for _ in 0..<120 {
            for event in try queue.commit(SampleEvents.longDrafts(5), state: .none) {
                told += event.content.evicted?.count ?? 0
            }
        }
        #expect(queue.counts.evicted > 0)
        #expect(queue.counts.evicted == told)
        #expect(queue.counts.pending <= 300)
        #expect(queue.counts.isBalanced)
        try FileManager.default.removeItem(atPath: directory.file("state"))
        queue.close()
        let again = try openQueue(in: directory, log: log)
        #expect(again.health == .durable)
        #expect(again.counts.enqueued >= 600)
        #expect(again.counts.isBalanced)
        #expect(try again.verify())
    }

    @Test("in memory stays so small for 20,000 events, and tells of every one that it drops")
    func memoryBoundForLong() throws {
        try Data().write(to: URL(fileURLWithPath: directory.file("state")))
        let queue = try openQueue(in: directory, log: log)
        let kinds: [EventKind] = [.enter, .exit, .dwell, .visitStarted, .visitEnded, .pass]
        var greatest: Int64 = 0
        for round in 0..<1000 {
            let drafts = (0..<20).map {
                SampleEvents.draft(kinds[(round + $0) % kinds.count], second: Int64($0 + 1))
            }
            _ = try queue.commit(drafts, state: .none)
            greatest = max(greatest, queue.counts.pending)
        }
        #expect(greatest <= 256)
        let counts = queue.counts
        #expect(counts.isBalanced && counts.enqueued >= 20_000)
        let pending = try queue.pending(everything)
        let records = try pending.filter { $0.kind == .queueEvicted }
            .map { try WireCoding.decode(WireEvent.self, from: $0.payload) }
        let told = records.compactMap(\.evicted)
        #expect(told.reduce(0) { $0 + $1.count } == counts.evicted)
        #expect(records.count <= 32)
        #expect(pending.count - records.count >= 128)
    }

    /// A queue with 300 events, which was damaged twice.
    private func openDamaged() throws -> SQLiteEventQueue {
        for _ in 0..<2 {
            let queue = try openQueue(in: directory, limits: small, log: log)
            _ = try queue.commit(SampleEvents.longDrafts(150), state: .none)
            queue.close()
            let raw = try Connection(path: directory.file("state/queue.db"))
            try raw.run("UPDATE counters SET acknowledged = acknowledged + 1")
            try raw.checkpoint(.truncate)
        }
        let queue = try openQueue(in: directory, limits: small, log: log)
        #expect(try bytes("state/quarantine") > 150_000)
        return queue
    }

    /// Of the databases in a folder.
    private func bytes(_ folder: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: directory.file(folder))
            .filter { $0.hasSuffix("queue.db") }
            .reduce(0) { sum, name in
                let path = directory.file("\(folder)/\(name)")
                return sum + (SharedFolder.readFile(path)?.count ?? 0)
            }
    }

    @Test("counts no damaged file that somebody has taken away")
    func emptiedQuarantine() throws {
        let queue = try openDamaged()
        let store = try #require(queue.store)
        try FileManager.default.removeItem(atPath: directory.file("state/quarantine"))
        while try store.usedBytes() < 410_000, queue.counts.evicted == 0 {
            _ = try queue.commit(SampleEvents.longDrafts(5), state: .none)
        }
        #expect(queue.counts.evicted == 0)
    }

    @Test("lets damaged files go before any event or dead letter, and counts them in its limit")
    func quarantine() throws {
        let queue = try openDamaged()
        let first = try #require(try queue.pending(everything).first)
        try queue.settle([Settlement(first, .dead(code: "x"))])
        var rounds = 0
        while queue.counts.evicted == 0, rounds < 400 {
            let aside = try bytes("state/quarantine")
            _ = try queue.commit(SampleEvents.longDrafts(5), state: .none)
            if queue.counts.evicted > 0 { #expect(aside == 0) }
            let hasDamaged = try bytes("state/quarantine") > 0
            #expect(try !hasDamaged || queue.deadLetters(limit: 9).count == 1)
            #expect(try bytes("state") + bytes("state/quarantine") <= 524_288)
            rounds += 1
        }
        #expect(rounds > 20 && rounds < 400)
        #expect(try queue.verify())
    }
}
