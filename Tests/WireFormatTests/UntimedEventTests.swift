import Delivery
import Geofencing
import TestSupport
import Testing
import Timekeeping
import WireFormat

@Suite("Events without a time")
struct UntimedEventTests {
    private func queued(_ change: (inout EventDraft) -> Void) throws -> QueuedEvent {
        let queue = InMemoryEventQueue()
        var draft = SampleEvents.draft()
        change(&draft)
        _ = try queue.commit([draft], state: .none)
        return try #require(
            try queue.pending(.oldest(limit: 1, maxBytes: .max, excluding: [])).first)
    }

    @Test("are those of which the occurrence or the detection has none, of a known uptime")
    func known() throws {
        #expect(try queued { _ in }.untimedBoot == nil)
        #expect(try queued { $0.occurred.utc = nil }.untimedBoot == SampleEvents.bootID)
        #expect(try queued { $0.detected.utc = nil }.untimedBoot == SampleEvents.bootID)
        let elsewhere = try queued {
            $0.occurred = Moment(uptime: nil, utc: nil)
            $0.detected = $0.occurred
        }
        #expect(elsewhere.untimedBoot == nil)
    }

    @Test("are not those that have the words in a text")
    func words() throws {
        #expect(try queued { $0.reason = #"_at":null"# }.untimedBoot == nil)
        #expect(try queued { $0.fenceID = #""occurred_at":null"# }.untimedBoot == nil)
    }

    @Test("damaged bytes have no boot")
    func damaged() throws {
        var event = try queued { $0.occurred.utc = nil }
        event.payload.removeLast()
        #expect(event.untimedBoot == nil)
        event.payload = []
        #expect(event.untimedBoot == nil)
    }
}
