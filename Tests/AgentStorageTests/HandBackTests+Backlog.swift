import Delivery
import SQLite
import TestSupport
import Testing

@testable import AgentStorage

/// What the disk holds beside that.
extension HandBackTests {
    @Test("more is carried over only of the file as it was, and only once")
    func more() throws {
        let disk = try opening.open()
        try commit(1500, to: disk)
        let memory = try opening.openInMemory()
        var fallback = try MemoryFallback(
            memory, from: disk.rows, epoch: disk.epoch, lastSequence: disk.lastSequence)
        #expect(!fallback.hasRoomForMore)
        // A commit that failed, and was in the log already.
        try commit(3, to: disk)
        let first = try memory.pending(everything)
        try memory.settle([Settlement(first[0], .dead(code: "no"))])
        try memory.settle(first.dropFirst().dropLast(2).map { Settlement($0, .acknowledged) })
        #expect(fallback.hasRoomForMore)
        #expect(try fallback.carryMore(from: disk.rows) == 476)
        #expect(try fallback.carryMore(from: disk.rows) == 0)
        let offered = try memory.pending(everything)
        let written = try ids(of: disk, 1500)
        #expect(offered.map(\.clientEventID) == Array(written[1022...]))
        #expect(memory.counters.isBalanced)
        try memory.settle(offered.dropLast().map { Settlement($0, .acknowledged) })
        let told = fallback.takeDelivered(for: disk.epoch)
        #expect(told.map(\.key) == Array(2...1022))
        #expect(fallback.takeDelivered(for: disk.epoch).isEmpty)
        try disk.settle(told)
        try fallback.handBack(to: disk)
        let counters = disk.counters
        #expect(counters.enqueued == 1500 && counters.acknowledged == 1498)
        #expect(counters.pending == 1 && counters.dead == 1 && counters.isBalanced)
        #expect(try disk.rows.recount() == counters)
    }

    @Test("nothing more is carried over of another file, nor is that told what has arrived")
    func moreOfAnother() throws {
        let disk = try opening.open()
        try commit(1500, to: disk)
        let memory = try opening.openInMemory()
        var fallback = try MemoryFallback(
            memory, from: disk.rows, epoch: disk.epoch, lastSequence: disk.lastSequence)
        try memory.settle(try memory.pending(everything).map { Settlement($0, .acknowledged) })
        try commit(1, to: memory)
        #expect(try memory.pending(everything).count == 1)
        #expect(try fallback.carryMore(from: memory.rows) == 0)
        #expect(try fallback.carryMore(from: disk.rows) == 476)
        #expect(try memory.pending(everything).count == 477)
        #expect(fallback.takeDelivered(for: memory.epoch).isEmpty)
    }

    @Test("the position of the disk is known while events are kept in memory")
    func position() throws {
        let disk = try opening.open()
        try commit(3, to: disk)
        let fallback = try MemoryFallback(
            try opening.openInMemory(), from: disk.rows, epoch: disk.epoch,
            lastSequence: disk.lastSequence)
        #expect(fallback.diskPosition == QueuePosition(epoch: disk.epoch, sequence: 3))
        try commit(2, to: fallback.store)
        try fallback.handBack(to: disk)
        #expect(try disk.rows.foreignPositions() == [fallback.store.epoch: 2])
    }
}
