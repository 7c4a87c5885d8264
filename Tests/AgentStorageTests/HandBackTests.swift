import Delivery
import SQLite
import TestSupport
import Testing

@testable import AgentStorage

@Suite("Handing back from memory to the disk")
struct HandBackTests {
    let directory: TemporaryDirectory
    let opening: QueueOpening

    init() throws {
        directory = try TemporaryDirectory()
        opening = QueueOpening(
            files: QueueFiles(directory: directory.path), deviceID: "van-7", hardwareID: nil,
            limits: StorageLimits())
    }

    func commit(_ count: Int, to store: QueueStore) throws {
        try store.commit(try store.prepare(SampleEvents.drafts(count)), state: .none)
    }

    func ids(of store: QueueStore, _ limit: Int = 1000) throws -> [String] {
        try store.rows.events(after: .min, limit: limit, epoch: store.epoch).map(\.clientEventID)
    }

    @Test("brings every receipt along, also of rows that memory keeps no longer")
    func manyReceipts() throws {
        let disk = try opening.open()
        try commit(1024, to: disk)
        let memory = try opening.openInMemory()
        let fallback = try MemoryFallback(
            memory, from: disk.rows, epoch: disk.epoch, lastSequence: disk.lastSequence)
        try commit(200, to: memory)
        let all = try memory.rows.events(after: .min, limit: 2000, epoch: memory.epoch)
        try memory.settle(all.map { Settlement($0, .acknowledged) })
        #expect(memory.counters.keptAcknowledged < 1224, "the oldest are gone")
        try fallback.handBack(to: disk)
        #expect(disk.counters.pending == 0 && disk.counters.acknowledged == 1224)
        #expect(disk.counters.isBalanced)
    }

    @Test("what was refused meanwhile is refused on disk, also beyond what dead letters may take")
    func manyRefused() throws {
        let disk = try opening.open()
        var generator = SeededGenerator(seed: 7)
        var drafts = SampleEvents.drafts(1000)
        for index in drafts.indices {
            // Nothing that can be packed.
            var text = ""
            for _ in 0..<80 { text += String(generator.next(), radix: 36) }
            drafts[index].reason = text
        }
        try disk.commit(try disk.prepare(drafts), state: .none)
        let memory = try opening.openInMemory()
        let fallback = try MemoryFallback(
            memory, from: disk.rows, epoch: disk.epoch, lastSequence: disk.lastSequence)
        try commit(1, to: memory)
        let all = try memory.rows.events(after: .min, limit: 2000, epoch: memory.epoch)
        // The new one is handed back, and loses its place in memory then.
        try memory.settle([Settlement(try #require(all.last), .dead(code: "no"))])
        try fallback.handBack(to: disk)
        #expect(disk.counters.dead == 1 && disk.counters.isBalanced)
        for event in all.dropLast() { try memory.settle([Settlement(event, .dead(code: "no"))]) }
        #expect(memory.counters.deadBytes > StorageLimits.deadLetterBytes, "enough for the test")
        #expect(memory.trimmedDead == 1)
        for _ in 0..<2 {
            try fallback.handBack(to: disk)
            #expect(disk.counters.dead == 1001 && disk.counters.acknowledged == 0)
            #expect(disk.counters.pending == 0 && disk.counters.isBalanced)
        }
        #expect(try disk.rows.deadLetters(limit: 2000, epoch: disk.epoch).count == 1000)
        // On the disk the bound holds from the next receipt on.
        try disk.settle([], state: StateUpdate(values: [.pipeline: [1]]))
        #expect(disk.counters.deadBytes <= StorageLimits.deadLetterBytes)
        #expect(disk.counters.dead == 1001 && disk.counters.isBalanced)
    }

    @Test("a second time adds nothing twice, only what has come since")
    func twice() throws {
        let disk = try opening.open()
        try commit(3, to: disk)
        let memory = try opening.openInMemory()
        let fallback = try MemoryFallback(
            memory, from: disk.rows, epoch: disk.epoch, lastSequence: disk.lastSequence)
        try commit(4, to: memory)
        try memory.commit(
            QueueStore.Preparation(events: [], arrivals: memory.arrivals),
            state: StateUpdate(
                clockAnchor: ClockAnchor(
                    bootID: SampleEvents.bootID, uptime: .init(milliseconds: 5),
                    utc: .init(millisecondsSince1970: 1_800_000_000_000), source: .gnss)))
        try fallback.handBack(to: disk)
        #expect(disk.counters.enqueued == 7 && disk.counters.pending == 7)
        #expect(disk.clockAnchors.count == 1)
        // As after an error that came when the COMMIT had been written.
        try fallback.handBack(to: disk)
        #expect(disk.counters.enqueued == 7 && disk.counters.pending == 7)
        try commit(2, to: memory)
        let own = try memory.rows.events(after: 0, limit: 10, epoch: memory.epoch)
        try memory.settle([
            Settlement(key: own[0].key, fate: .acknowledged),
            Settlement(key: own[5].key, fate: .dead(code: "no")),
        ])
        for _ in 0..<2 {
            try fallback.handBack(to: disk)
            let counters = disk.counters
            #expect(counters.enqueued == 9 && counters.pending == 7)
            #expect(counters.acknowledged == 1 && counters.dead == 1)
            #expect(counters.isBalanced)
            #expect(try disk.rows.recount() == counters)
            let ids = try ids(of: disk)
            #expect(ids.count == 9 && Set(ids).count == 9)
        }
    }

    @Test("a double fault counts no dead letter twice that the disk has deleted in between")
    func deletedBetween() throws {
        let disk = try opening.open()
        let memory = try opening.openInMemory()
        let fallback = try MemoryFallback(
            memory, from: disk.rows, epoch: disk.epoch, lastSequence: 0)
        try commit(4, to: memory)
        let own = try memory.rows.events(after: 0, limit: 10, epoch: memory.epoch)
        try memory.settle([
            Settlement(own[0], .acknowledged), Settlement(own[1], .dead(code: "no")),
            Settlement(own[2], .dead(code: "no")),
        ])
        // The sync of its COMMIT fails, so it counts as not handed back; the disk is full then, and
        // deletes what is settled to make room.
        try fallback.handBack(to: disk)
        _ = try disk.deleteAcknowledged(atMost: .max)
        #expect(try disk.deleteDead(freeing: .max) == 2)
        // One of them loses its place in memory, too.
        memory.deadLetterLimit = memory.counters.deadBytes - 1
        try memory.settle([], state: StateUpdate(values: [.pipeline: [1]]))
        #expect(memory.trimmedDead == 1)
        for _ in 0..<2 {
            try fallback.handBack(to: disk)
            let counters = disk.counters
            #expect(counters.enqueued == 4 && counters.acknowledged == 1)
            #expect(counters.pending == 1 && counters.dead == 2 && counters.evicted == 0)
            #expect(try disk.rows.recount() == counters && counters.isBalanced)
        }
    }

    @Test("a file that was replaced after it took the events counts none of them twice")
    func replacedAfter() throws {
        var disk: QueueStore? = try opening.open()
        let fallback = try MemoryFallback(
            try opening.openInMemory(), from: disk?.rows, epoch: disk?.epoch, lastSequence: 0)
        let memory = fallback.store
        try commit(4, to: memory)
        let own = try memory.rows.events(after: 0, limit: 10, epoch: memory.epoch)
        try memory.settle([
            Settlement(own[0], .acknowledged), Settlement(own[1], .dead(code: "no")),
        ])
        try fallback.handBack(to: #require(disk))
        disk = nil
        let outcome = try QueueReplacement(opening: opening, label: "x").run { _ in
            SampleEvents.draft(.stateReset, fence: nil)
        }
        #expect(outcome == QueueReplacement.Outcome(saved: 2, lost: 0))
        let new = try opening.open()
        for _ in 0..<2 {
            try fallback.handBack(to: new)
            let counters = new.counters
            #expect(counters.enqueued == 5 && counters.acknowledged == 1)
            #expect(counters.pending == 3 && counters.dead == 1 && counters.evicted == 0)
            #expect(try new.rows.recount() == counters && counters.isBalanced)
            #expect(try Set(ids(of: new)).count == 3)
        }
    }

    @Test(
        "an event that was lost with a damaged file counts as what became of it in memory",
        arguments: [.acknowledged, .dead(code: "no")] as [Settlement.Fate])
    func lostAndSettled(fate: Settlement.Fate) throws {
        var disk: QueueStore? = try opening.open()
        let fallback = try MemoryFallback(
            try opening.openInMemory(), from: disk?.rows, epoch: disk?.epoch, lastSequence: 0)
        let memory = fallback.store
        try commit(1, to: memory)
        try fallback.handBack(to: #require(disk))
        try disk?.connection.run("UPDATE events SET payload = x'00'")
        disk = nil
        let outcome = try QueueReplacement(opening: opening, label: "x").run { _ in
            SampleEvents.draft(.stateReset, fence: nil)
        }
        #expect(outcome == QueueReplacement.Outcome(saved: 0, lost: 1))
        let own = try memory.rows.events(after: 0, limit: 10, epoch: memory.epoch)
        try memory.settle([Settlement(own[0], fate)])
        let new = try opening.open()
        for _ in 0..<2 {
            try fallback.handBack(to: new)
            let counters = new.counters
            #expect(counters.enqueued == 2 && counters.pending == 1 && counters.evicted == 0)
            #expect(counters.acknowledged == (fate == .acknowledged ? 1 : 0))
            #expect(counters.dead == (fate == .acknowledged ? 0 : 1))
            #expect(try new.rows.recount() == counters && counters.isBalanced)
        }
    }

    @Test("a double fault brings none of memory's own events back as one of the disk's")
    func ownAreNotCarried() throws {
        let disk = try opening.open()
        var fallback = try MemoryFallback(
            try opening.openInMemory(), from: disk.rows, epoch: disk.epoch,
            lastSequence: disk.lastSequence)
        let memory = fallback.store
        try commit(3, to: memory)
        // As after an error that came when the COMMIT had been written.
        try fallback.handBack(to: disk)
        #expect(try fallback.carryMore(from: disk.rows) == 0)
        #expect(memory.counters.enqueued == 3)
        let own = try memory.rows.events(after: .min, limit: 10, epoch: memory.epoch)
        try memory.settle([Settlement(own[0], .dead(code: "no"))])
        try fallback.handBack(to: disk)
        #expect(disk.counters.dead == 1 && disk.counters.acknowledged == 0)
        #expect(disk.counters.pending == 2 && disk.counters.enqueued == 3)
    }

    @Test("any sequence of faults ends with what became of each event, counted once")
    func anySequence() throws {
        let first = UInt64.random(in: 0..<1 << 32)
        for seed in first..<first + 20 {
            let run = try HandBackRun(seed: seed)
            try run.go()
            #expect(run.difference == nil, "seed \(seed)")
        }
    }

    @Test("what gave way in memory after it was handed back is not sent from the disk either")
    func evictedSince() throws {
        let disk = try opening.open()
        let memory = try opening.openInMemory()
        let fallback = try MemoryFallback(
            memory, from: disk.rows, epoch: disk.epoch, lastSequence: 0)
        try commit(5, to: memory)
        try fallback.handBack(to: disk)
        let evictions = try memory.evictions(freeing: 0, atLeast: 2, ownOnly: true)
        try memory.commit(try memory.prepare([]), state: .none, evicting: evictions)
        #expect(memory.counters.evicted == 2)
        try fallback.handBack(to: disk)
        let counters = disk.counters
        #expect(counters.enqueued == 5 && counters.pending == 3 && counters.evicted == 2)
        #expect(counters.acknowledged == 0 && counters.isBalanced)
        #expect(try disk.rows.recount() == counters)
    }

    @Test("what is pending on disk and settled in memory is settled on disk, once")
    func carried() throws {
        let disk = try opening.open()
        try commit(3, to: disk)
        let memory = try opening.openInMemory()
        let fallback = try MemoryFallback(
            memory, from: disk.rows, epoch: disk.epoch, lastSequence: disk.lastSequence)
        let first = try #require(
            try memory.pending(
                .oldest(
                    limit: 1, maxBytes: 100_000, excluding: [])
            ).first)
        try memory.settle([Settlement(key: first.key, fate: .acknowledged)])
        for _ in 0..<2 {
            try fallback.handBack(to: disk)
            #expect(disk.counters.acknowledged == 1 && disk.counters.pending == 2)
            #expect(try disk.rows.recount() == disk.counters && disk.counters.isBalanced)
        }
    }

    @Test("a commit that failed when it was in the log already is on disk once, as memory has it")
    func failedCommit() throws {
        let disk = try opening.open()
        try commit(3, to: disk)
        let promised = disk.lastSequence
        let memory = try opening.openInMemory()
        let fallback = try MemoryFallback(
            memory, from: disk.rows, epoch: disk.epoch, lastSequence: promised)
        // The events whose fsync failed, found in the log when the disk is opened again; before
        // them what tells of an eviction in the same transaction.
        var drafts = SampleEvents.drafts(1, .queueEvicted)
        drafts += SampleEvents.drafts(2)
        try disk.commit(try disk.prepare(drafts), state: .none)
        try commit(2, to: memory)
        for _ in 0..<2 {
            try fallback.handBack(to: disk)
            #expect(disk.lastSequence == promised + 1)
            #expect(disk.counters.enqueued == 6 && disk.counters.pending == 6)
            #expect(try disk.rows.recount() == disk.counters && disk.counters.isBalanced)
        }
        try commit(1, to: disk)
        let events = try disk.rows.events(after: .min, limit: 100, epoch: disk.epoch)
        #expect(
            events.filter { $0.position.epoch == disk.epoch }.map(\.position.sequence)
                == [1, 2, 3, 4, 5])
        #expect(events.filter { $0.position.epoch == memory.epoch }.count == 2)
    }

    @Test("a value that was removed in memory is removed from the disk, and no other one")
    func removal() throws {
        let disk = try opening.open()
        let nothing = QueueStore.Preparation(events: [], arrivals: disk.arrivals)
        try disk.commit(
            nothing,
            state: StateUpdate(values: [.localFences: [1], .cooldowns: [2], .keptFences: [3]]))
        let memory = try opening.openInMemory()
        // As of a disk of which nothing could be read when the memory took over.
        let fallback = try MemoryFallback(memory, from: nil, epoch: nil, lastSequence: nil)
        try memory.commit(
            nothing, state: StateUpdate(values: [.localFences: nil, .cooldowns: nil]))
        try memory.commit(nothing, state: StateUpdate(values: [.cooldowns: [4]]))
        try fallback.handBack(to: disk)
        #expect(try disk.rows.state(.localFences) == nil)
        #expect(try disk.rows.state(.cooldowns) == [4])
        #expect(try disk.rows.state(.keptFences) == [3])
    }

    @Test("what was settled in memory is settled in a file that was replaced meanwhile")
    func replaced() throws {
        var disk: QueueStore? = try opening.open()
        try commit(3, to: #require(disk))
        let fallback = try MemoryFallback(
            try opening.openInMemory(), from: disk?.rows, epoch: disk?.epoch, lastSequence: 3)
        disk = nil
        let outcome = try QueueReplacement(opening: opening, label: "x").run { _ in
            SampleEvents.draft(.stateReset, fence: nil)
        }
        #expect(outcome == QueueReplacement.Outcome(saved: 3, lost: 0))
        let rows = try fallback.store.pending(.oldest(limit: 2, maxBytes: .max, excluding: []))
        try #require(rows.count == 2)
        try fallback.store.settle([
            Settlement(rows[0], .acknowledged), Settlement(rows[1], .dead(code: "no")),
        ])
        let new = try opening.open()
        try fallback.handBack(to: new)
        let counters = new.counters
        #expect(counters.acknowledged == 1 && counters.dead == 1 && counters.pending == 2)
        #expect(counters.deadBytes > 0 && counters.isBalanced)
        #expect(try new.rows.recount() == counters)
        let waiting = Set(try new.pending(everything).map(\.clientEventID))
        #expect(waiting.isDisjoint(with: rows.map(\.clientEventID)))
    }
}
