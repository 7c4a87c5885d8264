import Delivery
import Geofencing
import Simulation
import TestSupport
import Testing
import Timekeeping
import WireFormat

@Suite("False receipts")
struct FalseReceiptTests {
    private let queue = InMemoryEventQueue()
    private let batch: OutgoingBatch

    init() throws {
        _ = try queue.commit(SampleEvents.drafts(3), state: .none)
        batch = OutgoingBatch(
            batchID: "b-1",
            events: try queue.pending(.oldest(limit: 3, maxBytes: .max, excluding: [])),
            counts: queue.counts, clockAnchors: [])
    }

    /// How many rows leave the queue by this answer.
    private func rowsRemoved(by answer: HTTPAnswer) throws -> Int64 {
        var planner = UploadPlanner(batchPrefix: "b")
        _ = planner.step(at: Uptime(milliseconds: 0), pendingCount: 3)
        let outcome = SendOutcome(answer, batchID: batch.batchID)
        let conclusion = planner.finished(
            outcome, of: batch, at: Uptime(milliseconds: 1), random: 0.5)
        try queue.settle(conclusion.settlements)
        return 3 - queue.counts.pending
    }

    @Test("remove no row", arguments: FalseReceipt.allCases)
    func falseReceipt(kind: FalseReceipt) throws {
        #expect(try rowsRemoved(by: kind.answer(to: batch)) == 0)
    }

    @Test("are of 30 kinds at least, all of them different answers of 2xx and 3xx")
    func kinds() {
        let answers = Set(FalseReceipt.allCases.map { $0.answer(to: batch) })
        #expect(answers.count == FalseReceipt.allCases.count)
        #expect(answers.count >= 30)
        #expect(answers.allSatisfy { (200...399).contains($0.status) })
    }

    @Test("differ from the true one, which removes all rows")
    func trueReceipt() throws {
        var server = SimulatedServer()
        #expect(try rowsRemoved(by: server.serve(batch).answer) == 3)
    }
}
