import Campaigns
import Delivery
import Simulation
import Synchronization
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("A queue that is emptied without an agent")
struct QueueDrainTests {
    /// Answers by a script, and keeps what was sent.
    private final class Script: EventSender {
        private let state: Mutex<(answers: [SendOutcome?], sent: [[Int64]])>

        /// Nil: everything is accepted; so it is once the answers are used up.
        init(_ answers: [SendOutcome?]) { state = Mutex((answers, [])) }

        var sent: [[Int64]] { state.withLock { $0.sent } }

        func send(_ batch: OutgoingBatch) -> SendOutcome {
            state.withLock { state in
                state.sent.append(batch.events.map(\.key))
                let answer = state.answers.isEmpty ? nil : state.answers.removeFirst()
                return answer
                    ?? .receipt(
                        Receipt(
                            results: Dictionary(
                                uniqueKeysWithValues: batch.events.map {
                                    ($0.clientEventID, Receipt.Result(.accepted))
                                })))
            }
        }
    }

    private let time = ManualTimekeeper(
        wallClock: UTCTime(millisecondsSince1970: 1_800_000_000_000))

    private func queue(_ count: Int) throws -> InMemoryEventQueue {
        let queue = InMemoryEventQueue()
        _ = try queue.commit(SampleEvents.drafts(count), state: .none)
        return queue
    }

    private func drain(
        _ queue: InMemoryEventQueue, _ script: Script, seconds: Int64 = 60,
        isWanted: @escaping () -> Bool = { false }
    ) -> FlushReport {
        var drain = QueueDrain(
            queue, sender: script, maxBatch: 100, time: time, isWanted: isWanted
        ) { [time] in time.advance(milliseconds: $0) }
        return drain.run(until: time.uptime.advanced(byMilliseconds: seconds * 1000))
    }

    @Test("goes in full batches until nothing is left")
    func empty() throws {
        let queue = try queue(250)
        let script = Script([])
        #expect(
            drain(queue, script)
                == FlushReport(
                    agent: .stopped, end: .empty, acknowledged: 250, dead: 0, pending: 0,
                    server: "online"))
        #expect(script.sent.map(\.count) == [100, 100, 50])
        let nothing = drain(queue, script)
        #expect(nothing.end == .empty && nothing.server == "unknown")
    }

    static let failures: [(SendOutcome, String, Int)] = [
        (.unreachable(.connectFailed, reason: "refused"), "connectFailed", 3),
        (.refused(Refusal(status: 503)), "serverBusy", 3),
        (.refused(Refusal(status: 503, retryAfterSeconds: 900)), "serverBusy", 1),
        (.refused(Refusal(status: 401)), "authenticationFailed", 1),
        (.refused(Refusal(status: 404)), "endpointMismatch", 1),
    ]

    @Test(
        "ends where the server fails, after three tries where that may pass, and keeps all",
        arguments: failures)
    func failing(row: (SendOutcome, String, Int)) throws {
        let queue = try queue(2)
        let script = Script(Array(repeating: row.0, count: 99))
        let report = drain(queue, script)
        #expect(report.end == .failed && report.server == row.1 && report.reason != nil)
        #expect(script.sent.count == row.2)
        #expect(queue.counts.pending == 2 && report.pending == 2)
    }

    @Test("goes on after a failure that passes, and after a batch that was too large")
    func passing() throws {
        let queue = try queue(100)
        let script = Script([
            .unreachable(.connectFailed, reason: "x"), .refused(Refusal(status: 413)),
        ])
        #expect(drain(queue, script).end == .empty)
        #expect(script.sent.prefix(3).map(\.count) == [100, 100, 50])
        #expect(queue.counts.acknowledged == 100)
    }

    @Test(
        "what a receipt puts off, or says nothing of, is told as such",
        arguments: [
            (
                .deferred(retryAfterSeconds: 9000, code: "trial_over"),
                "the server puts events off: trial_over"
            ),
            (.deferred(retryAfterSeconds: 9000), nil),
            (nil, "the receipt says nothing of 2 events"),
        ] as [(Receipt.Status?, String?)])
    func notSettled(status: Receipt.Status?, reason: String?) throws {
        let queue = try queue(3)
        let events = try queue.pending(.oldest(limit: 3, maxBytes: .max, excluding: []))
        var results = [events[0].clientEventID: Receipt.Result(.accepted)]
        if let status {
            for event in events[1...] { results[event.clientEventID] = Receipt.Result(status) }
        }
        let report = drain(queue, Script([.receipt(Receipt(results: results))]))
        #expect(report.end == .deferred && report.pending == 2 && report.acknowledged == 1)
        #expect(report.reason == reason)
    }

    @Test("what the server wants later stays, and is told")
    func deferred() throws {
        let queue = try queue(2)
        let results = try queue.pending(.oldest(limit: 2, maxBytes: .max, excluding: []))
            .map { ($0.clientEventID, Receipt.Result(.deferred(retryAfterSeconds: 9000))) }
        let answer = SendOutcome.receipt(
            Receipt(results: Dictionary(uniqueKeysWithValues: results)))
        let report = drain(queue, Script([answer]))
        #expect(report.end == .deferred && report.pending == 2 && report.server == "online")
    }

    @Test("what the server refused alone stays for another offer, and is told", arguments: [1, 2])
    func refusedOnce(count: Int) throws {
        let queue = try queue(count)
        let answer = SendOutcome.refused(Refusal(status: 422, reason: "invalid_event"))
        let report = drain(queue, Script(Array(repeating: answer, count: 99)))
        #expect(report.end == .deferred && report.dead == 0 && report.pending == Int64(count))
        let words =
            count == 1
            ? "1 event that the server refused is" : "2 events that the server refused are"
        #expect(report.reason == "\(words) kept for another offer (HTTP 422: invalid_event)")
    }

    @Test("a refused event becomes a dead letter, as with an agent")
    func refused() throws {
        let queue = try queue(10)
        let answer = SendOutcome.refused(Refusal(status: 422, reason: "invalid_event"))
        // The batch, its parts down to the first event, the other four, and the first once more.
        let script = Script([answer, answer, answer, answer, nil, nil, nil, answer])
        let report = drain(queue, script)
        #expect(script.sent.map(\.count) == [10, 5, 2, 1, 1, 3, 5, 1])
        #expect(report.end == .empty && report.dead == 1 && report.acknowledged == 9)
        let dead = try #require(try queue.deadLetters(limit: 1).first)
        let shown = try StoredEventReport(dead)
        #expect(shown.answer == "HTTP 422" && shown.reason == "invalid_event")
        #expect(shown.status == "dead")
    }

    @Test("a request that is cut off at the end of the time changes nothing")
    func cutOff() throws {
        let queue = try queue(1)
        let report = drain(queue, Script([.cancelled]))
        #expect(report.end == .timeout && queue.counts.pending == 1)
    }

    @Test("an agent that wants the queue gets it after the running request")
    func wanted() throws {
        let queue = try queue(250)
        let script = Script([])
        let report = drain(queue, script) { script.sent.count >= 1 }
        #expect(report.end == .handedOver && script.sent.count == 1)
        #expect(queue.counts.pending == 150)
    }

    @Test("an anchor that the server needs is sent, too, and that is remembered")
    func anchors() throws {
        var draft = SampleEvents.draft()
        draft.occurred.utc = nil
        let queue = InMemoryEventQueue()
        _ = try queue.commit([draft], state: .none)
        let script = Script([])
        #expect(drain(queue, script).end == .empty)
        let anchor = ClockAnchor(
            bootID: SampleEvents.bootID, uptime: Uptime(milliseconds: 9),
            utc: UTCTime(millisecondsSince1970: 1_800_000_000_000), source: .gnss)
        _ = try queue.commit([], state: StateUpdate(clockAnchor: anchor))
        #expect(drain(queue, script).end == .empty)
        #expect(drain(queue, script).end == .empty)
        #expect(script.sent == [[1], []])
    }

    @Test("a disk that takes no writes ends it: nothing is sent, and nothing is said to be done")
    func refusingDisk() throws {
        let queue = try queue(250)
        queue.health = .storageReadOnly(reason: "EROFS")
        let script = Script([])
        let report = drain(queue, script)
        #expect(report.end == .storage && report.reason == "storageReadOnly: EROFS")
        #expect(script.sent.isEmpty && report.server == "unknown")
    }

    @Test("a disk that fills up meanwhile ends it, and only what is on it counts")
    func fillingDisk() throws {
        let queue = try queue(250)
        let script = Script([])
        let report = drain(queue, script) {
            if script.sent.count == 1 { queue.health = .diskFull(reason: "ENOSPC") }
            return false
        }
        #expect(report.end == .storage && report.reason == "diskFull: ENOSPC")
        #expect(script.sent.count == 2)
        #expect(report.acknowledged == 100 && report.pending == 150)
        // With the last batch.
        let last = try self.queue(1)
        let single = Script([])
        let lastReport = drain(last, single) {
            last.health = .diskFull(reason: "ENOSPC")
            return false
        }
        #expect(lastReport.end == .storage && lastReport.acknowledged == 0)
    }

    @Test("the server's verdicts are written with the receipts, and an agent finds them")
    func verdicts() throws {
        let queue = InMemoryEventQueue()
        var shown = SampleEvents.draft()
        shown.notification = NotificationDecision(outcome: .shown, campaignID: "c")
        var held = SampleEvents.draft(second: 2)
        held.notification = NotificationDecision(
            outcome: .suppressed, reason: "cooldown", campaignID: "c")
        var desk = NotificationDesk(book: NotificationBook(), bootID: time.bootID)
        _ = desk.take(
            .allowed,
            on: JudgedEvent(
                epoch: "e", sequence: 9, fenceID: "gym", campaignID: "c", outcome: .suppressed,
                reason: "cooldown",
                occurred: shown.occurred),
            at: shown.occurred)
        _ = try queue.commit(
            [shown, held],
            state: StateUpdate(values: [.cooldowns: try WireCoding.encode(desk.state)]))
        let rows = try queue.pending(.oldest(limit: 2, maxBytes: .max, excluding: []))
        let results: [String: Receipt.Result] = [
            rows[0].clientEventID: .init(.accepted, verdict: .quietHours),
            rows[1].clientEventID: .init(.duplicate, verdict: .allowed),
        ]
        #expect(drain(queue, Script([.receipt(Receipt(results: results))])).end == .empty)
        let bytes = try #require(try queue.state(.cooldowns))
        let stored = try WireCoding.decode(NotificationState.self, from: bytes)
        #expect(stored.disagreements.map(\.sequence) == [9, 1, 2])
        #expect(stored.disagreements.map(\.verdict) == ["allowed", "quiet_hours", "allowed"])
        #expect(stored.claims.map(\.fenceID) == ["gym", "depot"])
    }

    @Test("what was shown and cannot be read is left to the agent, and the receipts count")
    func unreadableState() throws {
        let queue = InMemoryEventQueue()
        var shown = SampleEvents.draft()
        shown.notification = NotificationDecision(outcome: .shown, campaignID: "c")
        _ = try queue.commit([shown], state: StateUpdate(values: [.cooldowns: [1]]))
        let row = try #require(
            try queue.pending(.oldest(limit: 1, maxBytes: .max, excluding: [])).first)
        let answer = Receipt(results: [
            row.clientEventID: .init(.accepted, verdict: .quietHours)
        ])
        #expect(drain(queue, Script([.receipt(answer)])).end == .empty)
        #expect(try queue.state(.cooldowns) == [1])
    }

    @Test("answers are told apart by whom they were given to")
    func answers() throws {
        func answer(_ code: String) -> [String?] {
            let event = QueuedEvent(
                key: 1, clientEventID: "x", position: QueuePosition(epoch: "e", sequence: 1),
                kind: .enter, status: .dead(code: code), payload: [])
            return [event.answer.answer, event.answer.reason]
        }
        #expect(answer("id_reused") == ["rejected", "id_reused"])
        #expect(answer("HTTP 400") == ["HTTP 400", nil])
        #expect(answer("HTTP 422: invalid_event") == ["HTTP 422", "invalid_event"])
    }
}
