import Delivery
import Foundation
import TestSupport
import Testing
import Timekeeping

/// A server in memory that can fail in every way, and stores what it accepts.
private struct SimulatedServer {
    var stored: [String: Int] = [:]
    var refusedForever: Set<Int64> = []
    /// How often a request meets a fault.
    var faultRate: Double
    var generator: SeededGenerator

    mutating func answer(_ batch: OutgoingBatch) -> SendOutcome {
        guard generator.unit() < faultRate else { return serve(batch) }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return .unreachable(.connectFailed, reason: "refused")
        case 1: return .unreachable(.dnsFailed, reason: "no name")
        case 2: return .unreachable(.serverBusy, reason: "time-out")
        case 3: return .unreachable(.captivePortal, reason: "200 HTML")
        case 4:
            // Delivered, and the answer is lost.
            _ = serve(batch)
            return .unreachable(.serverBusy, reason: "reset")
        case 5: return .refused(Refusal(status: 503, retryAfterSeconds: 20))
        case 6: return .refused(Refusal(status: 429))
        case 7: return .refused(Refusal(status: 500))
        case 8: return .refused(Refusal(status: 413))
        case 9:
            // Half a receipt.
            return cut(serve(batch))
        case 10: return deferAll(batch)
        default: return .cancelled
        }
    }

    private mutating func serve(_ batch: OutgoingBatch) -> SendOutcome {
        guard !batch.events.contains(where: { refusedForever.contains($0.key) }) else {
            return .refused(Refusal(status: 422))
        }
        return receipt(batch) { event in
            stored[event.clientEventID, default: 0] += 1
            return stored[event.clientEventID] == 1 ? .accepted : .duplicate
        }
    }

    private func cut(_ outcome: SendOutcome) -> SendOutcome {
        guard case .receipt(var receipt) = outcome else { return outcome }
        let half = receipt.results.keys.sorted().prefix(receipt.results.count / 2)
        receipt.results = receipt.results.filter { half.contains($0.key) }
        return .receipt(receipt)
    }

    private func deferAll(_ batch: OutgoingBatch) -> SendOutcome {
        receipt(batch) { _ in .deferred(retryAfterSeconds: 40) }
    }
}

@Suite("Queue, uploader and server")
struct UploadSimulationTests {
    /// 16, or as many as GEOFENCED_SEEDS says.
    static let seeds =
        0..<(ProcessInfo.processInfo.environment["GEOFENCED_SEEDS"]
        .flatMap(Int.init) ?? 16)

    /// One run: hours of faults, then a clean network.
    private func run(seed: UInt64, faultRate: Double, hours: Double) throws {
        var bench = try Bench(events: 0, policy: UploadPolicy(maxBatch: 20, intervalSeconds: 10))
        var chance = SeededGenerator(seed: seed)
        var server = SimulatedServer(
            faultRate: faultRate, generator: SeededGenerator(seed: seed ^ 0xabcd))
        let start = bench.now
        var expected: Set<String> = []
        var firstSuccess: Double?
        var cleanSince: Uptime?
        var isMeasured = false
        while cleanSince.map({ bench.now.seconds(since: $0) < 3 * 3600 }) ?? true {
            if cleanSince == nil, bench.now.seconds(since: start) > hours * 3600 {
                cleanSince = bench.now
                server.faultRate = 0
                bench.planner.networkChanged(
                    hasRoute: true, at: bench.now, random: chance.unit())
                let good = try bench.queue.pending(
                    .oldest(limit: 9999, maxBytes: .max, excluding: KeySet(server.refusedForever)))
                isMeasured = !good.isEmpty
            }
            if cleanSince == nil, chance.unit() < 0.2 {
                let events = try bench.queue.commit(
                    SampleEvents.drafts(Int.random(in: 1...4, using: &chance)), state: .none)
                if chance.unit() < 0.02 {
                    server.refusedForever.insert(events[0].position.sequence)
                }
                expected.formUnion(events.map(\.clientEventID))
            }
            if cleanSince == nil, chance.unit() < 0.05 {
                bench.planner.networkChanged(
                    hasRoute: chance.unit() < 0.7, at: bench.now, random: chance.unit())
            }
            if chance.unit() < 0.003 {
                // Killed and started again: the queue is all that is left.
                bench.planner = UploadPlanner(
                    policy: bench.planner.policy, batchPrefix: "r\(chance.next())")
            }
            let success = bench.planner.lastSuccess
            let sent = try bench.exchange(random: chance.unit()) { server.answer($0) }
            let counts = bench.queue.counts
            #expect(counts.isBalanced, "seed \(seed)")
            if let cleanSince, isMeasured, bench.planner.lastSuccess != success, firstSuccess == nil
            {
                firstSuccess = bench.now.seconds(since: cleanSince)
            }
            if !sent {
                let wait = bench.waitSeconds() ?? 5
                bench.advance(min(max(0.01, wait), 5 + chance.unit() * 20))
            }
        }
        let acknowledged = try bench.queue.events(after: 0, limit: .max)
            .filter { $0.status == .acknowledged }
        for event in acknowledged {
            #expect(server.stored[event.clientEventID] ?? 0 >= 1, "lost, seed \(seed)")
        }
        let dead = Set(try bench.queue.deadLetters(limit: .max).map(\.key))
        #expect(dead.isSubset(of: server.refusedForever), "an innocent event, seed \(seed)")
        // A refused event that is the last of all waits for the next one that is taken.
        let left = Set(
            try bench.queue.pending(.oldest(limit: 9999, maxBytes: .max, excluding: []))
                .map(\.key))
        #expect(left.isSubset(of: server.refusedForever), "seed \(seed): \(left.sorted()) left")
        let counts = bench.queue.counts
        #expect(counts.enqueued == Int64(expected.count), "seed \(seed)")
        #expect(!isMeasured || firstSuccess != nil, "seed \(seed)")
        if let firstSuccess { #expect(firstSuccess <= 310, "seed \(seed)") }
    }

    @Test("lose nothing under random faults, restarts and network changes", arguments: seeds)
    func faults(seed: Int) throws {
        try run(seed: UInt64(seed), faultRate: 0.6, hours: 2)
    }

    @Test("drain after six hours of 60 % faults within 310 s", arguments: [901, 902])
    func stuck(seed: Int) throws {
        try run(seed: UInt64(seed), faultRate: 0.6, hours: 6)
    }
}
