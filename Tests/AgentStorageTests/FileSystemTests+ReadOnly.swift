import AgentStorage
import Delivery
import Foundation
import TestSupport
import Testing
import Timekeeping

/// A disk that takes no writes.
extension FileSystemTests {
    @Test("that stays read-only has all of a long backlog offered, once, in order")
    func longBacklog() throws {
        let disk = try SmallFileSystem(megabytes: 8)
        let first = try openQueue(in: disk.directory, log: log)
        var old: [String] = []
        for _ in 0..<30 {
            old += try first.commit(SampleEvents.drafts(100), state: .none).map(\.clientEventID)
        }
        first.close()
        try disk.setReadOnly(true)
        let clock = SettableTimekeeper()
        let queue = try openQueue(in: disk.directory, log: log, timekeeper: clock)
        let new = try queue.commit(SampleEvents.drafts(2), state: .none)
        var offered: [String] = []
        // All but the last hundred of the backlog.
        while offered.count < 2900 {
            let batch = try queue.pending(
                .oldest(limit: 100, maxBytes: .max, excluding: []))
            try #require(!batch.isEmpty, "after \(offered.count)")
            offered += batch.map(\.clientEventID)
            try queue.settle(batch.map { Settlement($0, .acknowledged) })
            #expect(queue.counts.isBalanced && queue.counts.pending <= 1026)
            clock.advance(seconds: 1)
            queue.maintain(at: clock.uptime)
        }
        // What is nowhere but in memory waits for the first lot only.
        #expect(Array(offered[1024..<1026]) == new.map(\.clientEventID))
        #expect(
            offered.filter { !new.map(\.clientEventID).contains($0) }
                == Array(old.prefix(offered.count - 2)))
        try disk.setReadOnly(false)
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        #expect(queue.health == .durable)
        let counts = queue.counts
        #expect(
            counts.enqueued == 3002 && counts.acknowledged == offered.count && counts.isBalanced)
        #expect(
            Set(try queue.pending(everything).map(\.clientEventID))
                == Set(old.dropFirst(offered.count - 2)))
        #expect(try queue.verify())
    }

    @Test("that is read-only at the start is bridged in memory, with what it holds")
    func readOnlyStart() throws {
        let disk = try SmallFileSystem(megabytes: 8)
        let first = try openQueue(in: disk.directory, log: log)
        let old = try first.commit(
            SampleEvents.drafts(3), state: StateUpdate(values: [.pipeline: [1], .fences: [2]]))
        first.close()
        try disk.setReadOnly(true)
        let reader = try SQLiteQueueReader(directory: disk.directory.file("state"))
        #expect(try reader.counts().pending == 3)
        #expect(try reader.defects().isEmpty)
        let clock = SettableTimekeeper()
        let queue = try openQueue(in: disk.directory, log: log, timekeeper: clock)
        guard case .storageReadOnly = queue.health else {
            Issue.record("\(queue.health)")
            return
        }
        #expect(try queue.state(.pipeline) == [1])
        let new = try queue.commit(
            SampleEvents.drafts(2), state: StateUpdate(values: [.pipeline: [9]]))
        let pending = try queue.pending(everything)
        #expect(pending.map(\.clientEventID) == (old + new).map(\.clientEventID))
        try queue.settle(
            [pending[0], pending[3]].map { Settlement(key: $0.key, fate: .acknowledged) })
        try disk.setReadOnly(false)
        queue.maintain(at: clock.uptime)
        #expect(queue.health != .durable, "not before its minute is over")
        clock.advance(seconds: 61)
        queue.maintain(at: clock.uptime)
        #expect(queue.health == .durable)
        #expect(
            Set(try queue.pending(everything).map(\.clientEventID))
                == [old[1].clientEventID, old[2].clientEventID, new[1].clientEventID])
        #expect(try queue.state(.pipeline) == [9])
        #expect(try queue.state(.fences) == [2])
        #expect(queue.counts.enqueued == 5 && queue.counts.acknowledged == 2)
        #expect(try queue.verify())
    }
}
