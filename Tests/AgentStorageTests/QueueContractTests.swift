import AgentStorage
import Delivery
import Geofencing
import Simulation
import TestSupport
import Testing
import Timekeeping
import WireFormat

/// Every implementation of the port, with what it needs to live.
enum QueueKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case memory
    case simulated

    var testDescription: String { rawValue }

    func make() throws -> (queue: any EventQueue, directory: TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        switch self {
        case .memory: return (InMemoryEventQueue(), directory)
        case .simulated:
            let queue = SimulatedQueue(SimulatedDisk(), time: SettableTimekeeper())
            return (queue, directory)
        case .sqlite: return (try openQueue(in: directory), directory)
        }
    }
}

func openQueue(
    in directory: TemporaryDirectory, hardwareID: String? = "serial-1",
    fileBirth: @escaping @Sendable (String) -> Int64? = { _ in nil },
    limits: StorageLimits = StorageLimits(ballastBytes: 0), log: any LogSink = LogCollector(),
    timekeeper: any Timekeeper = SettableTimekeeper()
) throws -> SQLiteEventQueue {
    try SQLiteEventQueue(
        directory: directory.file("state"), deviceID: "van-7", hardwareID: hardwareID,
        fileBirth: fileBirth, limits: limits, timekeeper: timekeeper, log: log)
}

let everything = BatchSelection.oldest(limit: .max, maxBytes: .max, excluding: [])

@Suite("The contract of a queue")
struct QueueContractTests {
    @Test(
        "numbers events without a gap, and offers them in that order", arguments: QueueKind.allCases
    )
    func order(kind: QueueKind) throws {
        let (queue, _) = try kind.make()
        let first = try queue.commit(SampleEvents.drafts(3), state: .none)
        let second = try queue.commit(SampleEvents.drafts(2, .exit), state: .none)
        let events = first + second
        #expect(events.map(\.position.sequence) == [1, 2, 3, 4, 5])
        #expect(Set(events.map(\.position.epoch)).count == 1)
        #expect(Set(events.map(\.clientEventID)).count == 5)
        let pending = try queue.pending(everything)
        #expect(pending.map(\.clientEventID) == events.map(\.clientEventID))
        #expect(pending.map(\.position) == events.map(\.position))
        #expect(pending.map(\.kind) == events.map(\.content.kind))
        for (row, event) in zip(pending, events) {
            #expect(try WireCoding.decode(WireEvent.self, from: row.payload) == WireEvent(event))
        }
        #expect(queue.counts == counts(enqueued: 5, pending: 5, oldest: 1))
    }

    @Test("selects by number, bytes, exclusion and key", arguments: QueueKind.allCases)
    func selection(kind: QueueKind) throws {
        let (queue, _) = try kind.make()
        _ = try queue.commit(SampleEvents.drafts(6), state: .none)
        let bytes = try queue.pending(everything)[0].payload.count
        func keys(_ selection: BatchSelection) throws -> [Int64] {
            try queue.pending(selection).map(\.key)
        }
        #expect(try keys(.oldest(limit: 2, maxBytes: .max, excluding: [])) == [1, 2])
        #expect(try keys(.oldest(limit: 2, maxBytes: .max, excluding: [1, 3])) == [2, 4])
        #expect(try keys(.oldest(limit: 9, maxBytes: bytes * 3 + 5, excluding: [])) == [1, 2, 3])
        #expect(try keys(.oldest(limit: 9, maxBytes: 1, excluding: [])) == [1])
        #expect(try keys(.oldest(limit: 9, maxBytes: .max, excluding: [1, 2, 3, 4, 5, 6])) == [])
        #expect(try keys(.keys([5, 2, 77])).sorted() == [2, 5])
    }

    @Test("lets events go only by their settlement, once", arguments: QueueKind.allCases)
    func settlement(kind: QueueKind) throws {
        let (queue, _) = try kind.make()
        _ = try queue.commit(SampleEvents.drafts(4), state: .none)
        try queue.settle([
            Settlement(key: 1, fate: .acknowledged), Settlement(key: 3, fate: .dead(code: "bad")),
            Settlement(key: 99, fate: .acknowledged),
        ])
        try queue.settle([
            Settlement(key: 1, fate: .dead(code: "late")), Settlement(key: 3, fate: .acknowledged),
        ])
        #expect(try queue.pending(everything).map(\.key) == [2, 4])
        #expect(
            queue.counts == counts(enqueued: 4, acknowledged: 1, pending: 2, dead: 1, oldest: 2))
        #expect(queue.counts.isBalanced)
        #expect(try queue.pending(.keys([1, 2, 3])).map(\.key) == [2])
        let dead = try queue.deadLetters(limit: 5)
        #expect(dead.map(\.key) == [3])
        #expect(dead.first?.status == .dead(code: "bad"))
        #expect(
            try queue.events(after: nil, limit: 3).map(\.status)
                == [.pending, .dead(code: "bad"), .pending])
        #expect(try queue.events(after: 1, limit: 2).map(\.key) == [2, 3])
        #expect(try queue.events(after: 4, limit: 2).isEmpty)
    }

    @Test("leaves an event alone that has the key of another", arguments: QueueKind.allCases)
    func settlementOfAnother(kind: QueueKind) throws {
        let (queue, _) = try kind.make()
        _ = try queue.commit(SampleEvents.drafts(2), state: .none)
        let rows = try queue.pending(everything)
        var (first, second) = (rows[0], rows[1])
        (first.key, second.key) = (second.key, first.key)
        try queue.settle([
            Settlement(first, .acknowledged), Settlement(second, .dead(code: "no")),
            Settlement(key: 1, clientEventID: "no id", fate: .acknowledged),
        ])
        #expect(queue.counts.pending == 2 && queue.counts.isBalanced)
        try queue.settle([
            Settlement(rows[0], .acknowledged), Settlement(rows[1], .dead(code: "no")),
        ])
        #expect(queue.counts.pending == 0 && queue.counts.dead == 1 && queue.counts.isBalanced)
    }

    @Test("keeps, replaces and removes state", arguments: QueueKind.allCases)
    func state(kind: QueueKind) throws {
        let (queue, _) = try kind.make()
        #expect(try queue.state(.pipeline) == nil)
        _ = try queue.commit(
            [], state: StateUpdate(values: [.pipeline: [1, 2], .fences: [], .cooldowns: [9]]))
        _ = try queue.commit([], state: StateUpdate(values: [.pipeline: [3], .cooldowns: nil]))
        #expect(try queue.state(.pipeline) == [3])
        #expect(try queue.state(.fences) == [])
        #expect(try queue.state(.cooldowns) == nil)
        #expect(queue.counts.enqueued == 0)
    }

    @Test("writes state with what became of events", arguments: QueueKind.allCases)
    func settledState(kind: QueueKind) throws {
        let (queue, _) = try kind.make()
        _ = try queue.commit(SampleEvents.drafts(2), state: .none)
        try queue.settle(
            [Settlement(key: 1, fate: .acknowledged)],
            state: StateUpdate(values: [.anchorLedger: [7]]))
        #expect(try queue.state(.anchorLedger) == [7])
        #expect(queue.counts.acknowledged == 1)
        try queue.settle([], state: StateUpdate(values: [.anchorLedger: [8]]))
        #expect(try queue.state(.anchorLedger) == [8])
        #expect(queue.counts.isBalanced && queue.counts.pending == 1)
    }

    @Test("keeps the newest clock anchor of each boot", arguments: QueueKind.allCases)
    func anchors(kind: QueueKind) throws {
        let (queue, _) = try kind.make()
        for (boot, second) in [("a", 1), ("a", 2), ("b", 3)] as [(String, Int64)] {
            let anchor = ClockAnchor(
                bootID: BootID(boot), uptime: Uptime(milliseconds: second),
                utc: UTCTime(millisecondsSince1970: second), source: .gnss)
            _ = try queue.commit([], state: StateUpdate(clockAnchor: anchor))
        }
        #expect(queue.clockAnchors.map(\.bootID.text) == ["b", "a"])
        #expect(queue.clockAnchors.map(\.uptime.milliseconds) == [3, 2])
    }

    @Test("refuses everything once it is closed", arguments: QueueKind.allCases)
    func closed(kind: QueueKind) throws {
        let (queue, _) = try kind.make()
        queue.close()
        let error = thrown(QueueError.self) {
            _ = try queue.commit(SampleEvents.drafts(1), state: .none)
        }
        #expect(error == .closed)
    }

    private func counts(
        enqueued: Int64, acknowledged: Int64 = 0, pending: Int64, dead: Int64 = 0, oldest: Int64
    ) -> QueueCounts {
        QueueCounts(
            enqueued: enqueued, acknowledged: acknowledged, pending: pending, dead: dead,
            oldest: SampleEvents.draft(second: oldest).wallClock.time)
    }
}
