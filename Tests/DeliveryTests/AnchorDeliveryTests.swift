import Delivery
import TestSupport
import Testing
import Timekeeping

@Suite("Clock anchors without events")
struct AnchorDeliveryTests {
    /// Everything was sent, and the server needs an anchor.
    private func bench(events: Int = 0, intervalSeconds: Double = 0) throws -> Bench {
        var bench = try Bench(
            events: events, policy: UploadPolicy(intervalSeconds: intervalSeconds))
        bench.owesAnchors = true
        return bench
    }

    @Test("go in a batch of their own where no event may go, and not where none are owed")
    func alone() throws {
        var bench = try bench()
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests == [[]])
        #expect(bench.hasAnchors)
        #expect(bench.planner.connectivity == .online && bench.planner.lastSuccess == bench.now)
        bench.owesAnchors = false
        #expect(bench.step() == .idle)
    }

    @Test("go with events where there are any, also in a batch of which one is not answered")
    func withEvents() throws {
        var bench = try bench(events: 3)
        #expect(try bench.exchange { receipt($0) { $0.key == 1 ? .accepted : nil } })
        #expect(bench.requests == [[1, 2, 3]])
        #expect(bench.hasAnchors)
    }

    @Test("do not wait for events that the server has deferred")
    func deferredEvents() throws {
        var bench = try bench(events: 2)
        _ = try bench.exchange { receipt($0) { _ in .deferred(retryAfterSeconds: 9000) } }
        #expect(try !bench.exchange { receipt($0) }, "no event is left to send")
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests == [[1, 2], []])
        #expect(bench.queue.counts.pending == 2)
    }

    @Test("no receipt of theirs takes an event from the queue, and one that tries is a failure")
    func acknowledgesNothing() throws {
        var bench = try bench(events: 2)
        let ids = try bench.queue.pending(.oldest(limit: 2, maxBytes: .max, excluding: []))
            .map(\.clientEventID)
        _ = try bench.exchange { receipt($0) { _ in .deferred(retryAfterSeconds: 9000) } }
        let names = Receipt(
            results: Dictionary(uniqueKeysWithValues: ids.map { ($0, .init(.accepted)) }))
        #expect(try !bench.exchange { receipt($0) }, "no event is left to send")
        #expect(try bench.exchange { _ in .receipt(names) })
        #expect(bench.requests.last == [])
        #expect(!bench.hasAnchors)
        #expect(bench.queue.counts.pending == 2 && bench.queue.counts.acknowledged == 0)
        #expect(bench.planner.connectivity == .serverBusy)
        #expect(try !bench.exchange { receipt($0) }, "no event is left to send")
        #expect(bench.waitSeconds() ?? 0 >= 1)
    }

    @Test(
        "wait, pause and back off as any batch does",
        arguments: AnswerTableTests.rows)
    func failure(row: AnswerTableTests.Row) throws {
        var bench = try bench()
        #expect(try bench.exchange { _ in row.outcome })
        #expect(bench.planner.connectivity == row.state && !bench.hasAnchors)
        #expect(bench.planner.isPaused == row.isPaused)
        #expect(bench.waitSeconds() == row.waitSeconds)
        bench.advance(row.waitSeconds)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.hasAnchors && bench.planner.connectivity == .online)
    }

    @Test(
        "refused as a whole hold up no event, and go with the next one", arguments: [400, 413, 422])
    func refused(status: Int) throws {
        var bench = try bench()
        #expect(try bench.exchange { _ in .refused(Refusal(status: status)) })
        #expect(try !bench.exchange { receipt($0) }, "not again at once")
        try bench.commit(2)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests == [[], [1, 2]])
        #expect(bench.hasAnchors && bench.queue.counts.acknowledged == 2)
    }

    static let failures: [SendOutcome] =
        [408, 425, 429, 500, 502, 503, 504, 599, 402, 409, 418, 431, 451].map {
            .refused(Refusal(status: $0))
        } + [
            .unreachable(.serverBusy, reason: "x"),
            .receipt(Receipt(results: ["x": .init(.accepted)])),
        ]

    @Test(
        "the server fails at are offered after doubling delays, up to an hour, and no event waits",
        arguments: failures)
    func failedByServer(outcome: SendOutcome) throws {
        var bench = try bench()
        var waits: [Double] = []
        for _ in 0..<14 {
            #expect(try bench.exchange(random: 0.999_999_999) { _ in outcome })
            let wait = bench.waitSeconds() ?? 0
            waits.append((wait * 10).rounded() / 10)
            #expect(bench.planner.connectivity == .serverBusy)
            bench.advance(wait)
        }
        #expect(waits.prefix(4) == [2, 4, 8, 16] && waits.suffix(3) == [3600, 3600, 3600])
        #expect(bench.planner.failures == 14)
        #expect(try bench.exchange { _ in outcome })
        try bench.commit(2)
        #expect(bench.waitSeconds() == 0, "an event goes at once")
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.requests.last == [1, 2] && bench.hasAnchors)
        #expect(bench.planner.connectivity == .online && bench.planner.failures == 0)
    }

    static let pauses: [SendOutcome] = [
        .refused(Refusal(status: 503, retryAfterSeconds: 100)),
        .unreachable(.connectFailed, reason: "x"), .unreachable(.noRoute, reason: "x"),
        .unreachable(.dnsFailed, reason: "x"),
    ]

    @Test(
        "that no server was reached with, or one that asks for a pause, let events wait, too",
        arguments: pauses)
    func failedOnTheWay(outcome: SendOutcome) throws {
        var bench = try bench()
        #expect(try bench.exchange { _ in outcome })
        try bench.commit(1)
        #expect(bench.waitSeconds() ?? 0 >= 1)
        #expect(try !bench.exchange { receipt($0) })
    }

    @Test("refused as a whole are offered again after an hour, and when a person asks")
    func refusedAgain() throws {
        var bench = try bench()
        #expect(try bench.exchange { _ in .refused(Refusal(status: 422)) })
        #expect(bench.waitSeconds() == 3600)
        bench.planner.flush()
        #expect(try bench.exchange { _ in .refused(Refusal(status: 422)) })
        bench.advance(3600)
        #expect(try bench.exchange { receipt($0) })
        #expect(bench.hasAnchors)
    }

    @Test("keep to the pace of uploads")
    func pace() throws {
        var bench = try bench(intervalSeconds: 60)
        var sent = 0
        while try bench.exchange({ receipt($0) }) { sent += 1 }
        #expect(sent == 4)
        #expect(bench.waitSeconds() ?? 0 > 59)
    }

    @Test("a stop from this side counts as nothing, and no batch id is used twice")
    func cancelled() throws {
        var bench = try bench()
        var ids: Set<String> = []
        for _ in 0..<3 {
            _ = try bench.exchange {
                ids.insert($0.batchID)
                return .cancelled
            }
        }
        #expect(ids.count == 3)
        #expect(bench.planner.connectivity == nil && !bench.hasAnchors)
    }
}

@Suite("What the server knows of the clocks")
struct AnchorLedgerTests {
    private let boot = SampleEvents.bootID
    private let other = BootID("ffffffffffffffffffffffffffffffff")

    private func anchor(_ boot: BootID, _ source: ClockAnchor.Source = .gnss) -> ClockAnchor {
        ClockAnchor(
            bootID: boot, uptime: Uptime(milliseconds: 5),
            utc: UTCTime(millisecondsSince1970: 1_800_000_000_000), source: source)
    }

    @Test("an anchor is owed for events without a time, of its own boot, until it has arrived")
    func owed() {
        var ledger = AnchorLedger()
        #expect(!ledger.isOwed([anchor(boot)]))
        ledger.untimedEventAcknowledged(of: boot)
        #expect(!ledger.isOwed([]))
        #expect(!ledger.isOwed([anchor(other)]))
        #expect(ledger.isOwed([anchor(other), anchor(boot)]))
        ledger.acknowledged(anchor(other))
        #expect(ledger.isOwed([anchor(boot)]))
        ledger.acknowledged(anchor(boot))
        #expect(!ledger.isOwed([anchor(boot)]))
    }

    @Test("an anchor that came before the event without a time is enough")
    func anchorFirst() {
        var ledger = AnchorLedger()
        ledger.acknowledged(anchor(boot))
        ledger.untimedEventAcknowledged(of: boot)
        #expect(!ledger.isOwed([anchor(boot)]))
    }

    @Test("a receiver's time is owed after that of the system clock, not the other way round")
    func better() {
        var ledger = AnchorLedger()
        ledger.untimedEventAcknowledged(of: boot)
        ledger.acknowledged(anchor(boot, .disciplined))
        #expect(!ledger.isOwed([anchor(boot, .disciplined)]))
        #expect(ledger.isOwed([anchor(boot)]))
        ledger.acknowledged(anchor(boot))
        ledger.acknowledged(anchor(boot, .disciplined))
        #expect(!ledger.isOwed([anchor(boot, .disciplined)]) && !ledger.isOwed([anchor(boot)]))
    }

    @Test("the boots that were heard of last are remembered, sixteen of them")
    func bound() {
        var ledger = AnchorLedger()
        let boots = (0..<40).map { BootID("boot-\($0)") }
        for boot in boots { ledger.untimedEventAcknowledged(of: boot) }
        #expect(boots.filter { ledger.isOwed([anchor($0)]) } == Array(boots.suffix(16)))
    }
}
