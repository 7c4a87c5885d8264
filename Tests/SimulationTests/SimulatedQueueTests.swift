import Delivery
import Geofencing
import Simulation
import TestSupport
import Testing
import Timekeeping
import WireFormat

@Suite("The simulated queue")
struct SimulatedQueueTests {
    private let time = ManualTimekeeper(
        wallClock: UTCTime(millisecondsSince1970: 1_800_000_000_000))

    @Test(
        "writes the bytes that the encoder writes",
        arguments: [nil, 1_800_000_000_123] as [Int64?], EventKind.allCases)
    func payload(milliseconds: Int64?, kind: EventKind) throws {
        let queue = SimulatedQueue(SimulatedDisk(), time: time)
        let moment = Moment(
            uptime: Uptime(milliseconds: 77),
            utc: milliseconds.map(UTCTime.init(millisecondsSince1970:)))
        let drafts = ["depot", "Caf\u{E9} \"7\""].map { fence in
            EventDraft(
                kind: kind, fenceID: fence, bootID: SampleEvents.bootID, occurred: moment,
                detected: moment,
                wallClock: WallClockReading(
                    time: UTCTime(millisecondsSince1970: -5), isSynchronised: milliseconds == nil),
                timeQuality: .monotonicOnly, isInitial: true)
        }
        let events = try queue.commit(drafts + [SampleEvents.draft(kind)], state: .none)
        let rows = try queue.pending(.oldest(limit: .max, maxBytes: .max, excluding: []))
        let payloads = try events.map { try WireCoding.encode(WireEvent($0)) }
        #expect(rows.map(\.payload) == payloads)
    }

    @Test("loses what was not committed, and nothing else", arguments: [true, false])
    func crash(isCommitted: Bool) throws {
        let disk = SimulatedDisk()
        let queue = SimulatedQueue(disk, time: time)
        _ = try queue.commit(SampleEvents.drafts(2), state: .none)
        disk.fault = isCommitted ? .endsAfterCommit : .endsBeforeCommit
        #expect(throws: QueueError.closed) {
            _ = try queue.commit(
                SampleEvents.drafts(3), state: StateUpdate(values: [.pipeline: [7]]))
        }
        #expect(throws: QueueError.closed) { _ = try queue.state(.pipeline) }
        let next = SimulatedQueue(disk, time: time)
        #expect(next.counts.enqueued == (isCommitted ? 5 : 2))
        #expect(try next.state(.pipeline) == (isCommitted ? [7] : nil))
        let event = try next.commit(SampleEvents.drafts(1), state: .none)
        #expect(event.map(\.position.sequence) == [isCommitted ? 6 : 3])
    }

    @Test("lets the least valuable give way, and tells of it")
    func eviction() throws {
        let queue = SimulatedQueue(SimulatedDisk(capacity: 8), time: time)
        _ = try queue.commit(
            SampleEvents.drafts(3, .visitStarted) + SampleEvents.drafts(4, .pass)
                + SampleEvents.drafts(1, .enter), state: .none)
        let told = try queue.commit(SampleEvents.drafts(1), state: .none)
        #expect(told.map(\.content.kind) == [.queueEvicted, .enter])
        #expect(
            told.first?.content.evicted
                == EvictedRange(kind: .pass, count: 4, firstSequence: 4, lastSequence: 7))
        #expect(queue.counts.evicted == 4 && queue.counts.isBalanced)
    }

    @Test("begins an epoch after a damage, and counts what it cost")
    func damage() throws {
        let disk = SimulatedDisk()
        let queue = SimulatedQueue(disk, time: time)
        let old = try queue.commit(
            SampleEvents.drafts(4), state: StateUpdate(values: [.pipeline: [1], .fences: [2]]))
        var rest = 3
        disk.damage {
            rest -= 1
            return rest > 0
        }
        let next = SimulatedQueue(disk, time: time)
        #expect(try next.state(.pipeline) == nil)
        #expect(try next.state(.fences) == [2])
        let events = try next.commit(SampleEvents.drafts(1), state: .none)
        #expect(events.map(\.content.kind) == [.stateReset, .enter])
        #expect(events.map(\.position.sequence) == [1, 2])
        #expect(events[0].position.epoch != old[0].position.epoch)
        let rows = try next.pending(.oldest(limit: .max, maxBytes: .max, excluding: []))
        #expect(rows.prefix(2).map(\.position) == old.prefix(2).map(\.position))
        #expect(next.counts.evicted == 2 && next.counts.isBalanced)
    }
}
