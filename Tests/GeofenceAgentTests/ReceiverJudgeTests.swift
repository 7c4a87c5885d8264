import Geodesy
import Positioning
import TestSupport
import Testing
import Timekeeping

@testable import GeofenceAgent

@Suite("The judge of the receiver")
struct ReceiverJudgeTests {
    private func at(_ milliseconds: Int64) -> Uptime { Uptime(milliseconds: milliseconds) }

    private func judge() -> ReceiverJudge {
        var judge = ReceiverJudge()
        judge.source = SourceHealth(.fix, "")
        return judge
    }

    private func epoch(
        _ verdict: FixVerdict, at milliseconds: Int64 = 1000, quality: Quality = .autonomous,
        accuracy: Double = 5, flags: IntegrityFlags = [], hasPosition: Bool = true
    ) -> FilteredFix {
        FilteredFix(
            fix: Fix(
                coordinate: hasPosition ? place(10, 20) : nil, uptime: at(milliseconds),
                dimension: hasPosition ? .twoDimensional : .none, quality: quality, source: .nmea,
                integrityFlags: flags),
            verdict: verdict, accuracyMeters: accuracy)
    }

    @Test("what the source says of itself stands while it has no fix")
    func sourceFirst() {
        var judge = judge()
        judge.take(epoch(.ok))
        for state in SourceHealth.State.allCases where state != .fix {
            judge.source = SourceHealth(state, "because")
            #expect(
                judge.health(at: at(99_000), expirySeconds: 3) == SourceHealth(state, "because"))
        }
    }

    @Test("a fix is stale once no epoch came for too long, and fresh again with the next one")
    func expires() {
        var judge = judge()
        #expect(judge.health(at: at(60_000), expirySeconds: 3).state == .fix)
        judge.take(epoch(.ok, at: 1000))
        #expect(judge.health(at: at(4000), expirySeconds: 3) == SourceHealth(.fix, ""))
        let stale = judge.health(at: at(4001), expirySeconds: 3)
        #expect(stale.state == .stale)
        #expect(stale.reason.hasPrefix("no epoch from the receiver for 3 s"))
        #expect(judge.health(at: at(14_000), expirySeconds: 15).state == .fix)
        judge.take(epoch(.ok, at: 5000))
        #expect(judge.health(at: at(5001), expirySeconds: 3).state == .fix)
        judge.sourceOpened()
        #expect(judge.health(at: at(60_000), expirySeconds: 3).state == .fix)
    }

    @Test("a time that stands still is told after three epochs")
    func timeStandsStill() {
        var judge = judge()
        for expected in [SourceHealth.State.fix, .fix, .stale, .stale] {
            judge.take(epoch(.stale))
            #expect(judge.health(at: at(1000), expirySeconds: 3).state == expected)
        }
        judge.take(epoch(.ok))
        #expect(judge.health(at: at(1000), expirySeconds: 3).state == .fix)
    }

    @Test(
        "what keeps a position from being used is said, with what to do",
        arguments: [
            (.stale, .frozen, .autonomous, .frozen, "the receiver repeats one position"),
            (.invalid, [], .simulated, .noFix, "the receiver calls its position simulated"),
            (.invalid, [], .manual, .noFix, "the receiver calls its position manual"),
            (.estimated, [], .estimated, .noFix, "dead reckoning only"),
            (.nullIsland, [], .autonomous, .noFix, "the receiver claims to be at 0 N 0 E"),
            (.inaccurate, [], .autonomous, .fix, "accuracy 450 m: too coarse"),
            (.quarantined, [], .autonomous, .fix, "the position jumped"),
            (.ok, [], .autonomous, .fix, ""),
            (.departOnly, [], .autonomous, .fix, ""),
        ] as [(FixVerdict, IntegrityFlags, Quality, SourceHealth.State, String)])
    func explains(
        verdict: FixVerdict, flags: IntegrityFlags, quality: Quality, state: SourceHealth.State,
        reason: String
    ) {
        var judge = judge()
        judge.take(epoch(verdict, quality: quality, accuracy: 450, flags: flags))
        let health = judge.health(at: at(1000), expirySeconds: 3)
        #expect(health.state == state)
        #expect(health.reason.hasPrefix(reason) && health.reason.isEmpty == reason.isEmpty)
    }
}
