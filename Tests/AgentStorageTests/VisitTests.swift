import AgentStorage
import Delivery
import TestSupport
import Testing

@Suite("The visit of an event")
struct VisitTests {
    let directory: TemporaryDirectory
    let queue: SQLiteEventQueue

    init() throws {
        directory = try TemporaryDirectory()
        queue = try openQueue(in: directory)
    }

    private func visits(_ drafts: [EventDraft]) throws -> [String?] {
        try queue.commit(drafts, state: .none).map(\.visitID)
    }

    private func draft(_ kind: EventKind, _ fence: String = "depot") -> EventDraft {
        var draft = SampleEvents.draft(kind, fence: fence)
        draft.endsVisit = kind == .exit || kind == .visitEnded
        return draft
    }

    @Test("is one from the dwell to the end, over restarts")
    func wholeVisit() throws {
        #expect(try visits([draft(.enter)]) == [nil])
        queue.close()
        let second = try openQueue(in: directory)
        let begun = try second.commit(
            [draft(.dwell), draft(.visitStarted)], state: .none
        ).map(\.visitID)
        second.close()
        let third = try openQueue(in: directory)
        let ended = try third.commit([draft(.exit), draft(.visitEnded)], state: .none)
            .map(\.visitID)
        #expect(Set(begun + ended).count == 1)
        #expect(begun[0] != nil)
        let next = try third.commit([draft(.enter), draft(.dwell)], state: .none).map(\.visitID)
        #expect(next[0] == nil && next[1] != nil && next[1] != begun[0])
    }

    @Test("rests on its first event where the enter was silent")
    func silentEnter() throws {
        let begun = try visits([draft(.dwell), draft(.visitStarted)])
        let ended = try visits([draft(.visitEnded)])
        #expect(begun[0] != nil)
        #expect(Set(begun + ended).count == 1)
        let next = try visits([draft(.visitStarted)])
        #expect(next[0] != nil && next[0] != begun[0])
    }

    @Test("is another one after an exit and enter in one commit")
    func reopened() throws {
        _ = try visits([draft(.enter)])
        let first = try visits([draft(.dwell)])
        let both = try visits([
            draft(.exit), draft(.visitEnded), draft(.enter), draft(.dwell),
        ])
        #expect(both[0] == first[0] && both[1] == first[0])
        #expect(both[2] == nil && both[3] != first[0] && both[3] != nil)
        #expect(try visits([draft(.exit)]) == [both[3]])
    }

    @Test("is not claimed by an exit without a dwell before it")
    func exitWithoutVisit() throws {
        var exit = draft(.exit)
        exit.endsVisit = false
        #expect(try visits([draft(.enter), exit]) == [nil, nil])
        let next = try visits([draft(.enter), draft(.dwell), draft(.exit)])
        #expect(next[1] != nil && next[1] == next[2])
    }

    @Test("is kept apart by fence, and absent from what belongs to none")
    func fences() throws {
        let other = draft(.dwell, "yard")
        let result = try visits([
            draft(.dwell), other, draft(.pass), SampleEvents.draft(.moved, fence: nil),
        ])
        #expect(result[0] != result[1] && result[0] != nil && result[1] != nil)
        #expect(result[2] == nil && result[3] == nil)
    }

    @Test("is not remembered by a commit that fails")
    func failedCommit() throws {
        var bad = draft(.enter)
        bad.occurredUncertaintySeconds = .nan
        bad.durationSeconds = .infinity
        let error = thrown(QueueError.self) { _ = try visits([draft(.dwell), bad]) }
        guard case .unencodable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(queue.counts.enqueued == 0)
        let first = try visits([draft(.dwell)])
        #expect(try visits([draft(.visitEnded)]) == first)
    }

    @Test("an event whose fix JSON cannot hold is kept without it")
    func unencodableFix() throws {
        var odd = draft(.enter)
        odd.fix?.speed = .infinity
        let event = try queue.commit([odd], state: .none)[0]
        #expect(event.content.fix == nil)
        #expect(try queue.pending(everything).count == 1)
    }
}
