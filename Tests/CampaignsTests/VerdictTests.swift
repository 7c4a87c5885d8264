import Campaigns
import Geofencing
import TestSupport
import Testing
import Timekeeping

@Suite("What the server says of notifications")
struct VerdictTests {
    static func judged(
        _ outcome: NotificationDecision.Outcome, _ bench: DeskBench, sequence: Int64 = 7
    ) -> JudgedEvent {
        JudgedEvent(
            epoch: "e", sequence: sequence, fenceID: "A", campaignID: "hello", outcome: outcome,
            reason: outcome == .suppressed ? "quiet_hours" : nil, occurred: bench.now)
    }

    static let agreeing: [(NotificationDecision.Outcome, NotificationVerdict)] = [
        (.shown, .allowed), (.shown, .notApplicable), (.suppressed, .cooldown),
        (.suppressed, .quietHours), (.suppressed, .window), (.suppressed, .cap),
        (.suppressed, .notApplicable), (.none, .notApplicable), (.none, .cooldown),
    ]

    @Test("where both agree nothing changes", arguments: agreeing)
    func agree(outcome: NotificationDecision.Outcome, verdict: NotificationVerdict) {
        var bench = DeskBench([DeskBench.fence()])
        if outcome == .shown { #expect(bench.decide().word == "shown") }
        bench.desk.markPersisted()
        let before = bench.desk.state
        #expect(bench.desk.take(verdict, on: Self.judged(outcome, bench), at: bench.now) == nil)
        #expect(bench.desk.state == before && !bench.desk.isStateChanged)
    }

    @Test("what the server allowed is claimed, as it is there, and listed")
    func allowed() {
        var bench = DeskBench([DeskBench.fence()])
        let event = Self.judged(.suppressed, bench)
        let disagreement = bench.desk.take(.allowed, on: event, at: bench.now)
        #expect(disagreement?.decision == "suppressed" && disagreement?.verdict == "allowed")
        #expect(bench.desk.isStateChanged)
        bench.wait(hours: 23)
        #expect(bench.decide().word == "cooldown")
        bench.wait(hours: 1)
        #expect(bench.decide().word == "shown")
    }

    @Test(
        "what the server has not claimed is not claimed",
        arguments: [NotificationVerdict.quietHours, .window])
    func notClaimed(_ verdict: NotificationVerdict) {
        var bench = DeskBench([DeskBench.fence()])
        #expect(bench.decide().word == "shown")
        #expect(bench.desk.take(verdict, on: Self.judged(.shown, bench), at: bench.now) != nil)
        bench.wait(hours: 1)
        #expect(bench.decide().word == "shown")
    }

    @Test(
        "what was shown within the server's cooldown stays claimed",
        arguments: [NotificationVerdict.cooldown, .cap])
    func stays(_ verdict: NotificationVerdict) {
        var bench = DeskBench([DeskBench.fence()])
        #expect(bench.decide().word == "shown")
        #expect(bench.desk.take(verdict, on: Self.judged(.shown, bench), at: bench.now) != nil)
        bench.wait(hours: 1)
        #expect(bench.decide().word == "cooldown")
    }

    @Test("a verdict that comes again changes nothing more, also after a reboot")
    func again() {
        var bench = DeskBench([DeskBench.fence()])
        let event = Self.judged(.suppressed, bench)
        #expect(bench.desk.take(.allowed, on: event, at: bench.now) != nil)
        let before = bench.desk.state
        #expect(bench.desk.take(.allowed, on: event, at: bench.now) == nil)
        #expect(bench.desk.state == before)
        bench.reboot(afterHours: 1)
        var later = event
        later.occurred.uptime = nil
        #expect(bench.desk.take(.allowed, on: later, at: bench.now) == nil)
        #expect(bench.desk.state.claims.count == 1)
        #expect(bench.desk.state.disagreements.count == 1)
    }

    @Test("the list of disagreements is bounded")
    func bounded() {
        var bench = DeskBench([DeskBench.fence()])
        for sequence in 1...80 {
            bench.wait(hours: 0.001)
            _ = bench.desk.take(
                .allowed, on: Self.judged(.suppressed, bench, sequence: Int64(sequence)),
                at: bench.now)
        }
        #expect(bench.desk.state.disagreements.count == NotificationState.disagreementLimit)
        #expect(bench.desk.state.disagreements.last?.sequence == 80)
    }
}
