import Compression
import Delivery
import HTTPTransport
import Synchronization
import TestSupport
import Testing
import Timekeeping
import WebServer
import WireFormat

@Suite("From the queue to a server and back")
struct RoundTripTests {
    @Test("a backlog is delivered in order over one connection, and nothing stays")
    func backlog() throws {
        let stored = Mutex<[String]>([])
        let address = try #require(ListenAddress("127.0.0.1:0"))
        let server = try HTTPServer(listeningOn: address) { request in
            guard request.headers["content-encoding"] == "gzip",
                let plain = try? Gzip.decompress(request.body, limit: 1 << 20),
                let batch = try? WireCoding.decode(EventBatch.self, from: plain)
            else { return Response(status: 400) }
            let ids = batch.events.map(\.clientEventID.text)
            stored.withLock { $0 += ids }
            let document = BatchAnswer(
                batchID: batch.batchID.text, serverTime: batch.sentAt.time, configRevision: 1,
                results: ids.map { .init(clientEventID: $0, status: .accepted) })
            return Response(
                status: 200, headers: ["Content-Type": "application/json"],
                body: (try? WireCoding.encode(document)) ?? [])
        }
        defer { server.stop() }
        let queue = InMemoryEventQueue()
        let expected = try queue.commit(SampleEvents.drafts(1100), state: .none)
            .map(\.clientEventID)
        var planner = UploadPlanner(batchPrefix: "t")
        let sender = HTTPEventSender(
            try transport("http://\(server.address)"), timekeeper: SettableTimekeeper())
        let now = Uptime(milliseconds: 0)
        var requests = 0
        while case .send(let plan) = planner.step(at: now, pendingCount: queue.counts.pending) {
            let batch = OutgoingBatch(
                batchID: plan.batchID, events: try queue.pending(plan.selection),
                counts: queue.counts, clockAnchors: [])
            let outcome = sender.send(batch)
            let conclusion = planner.finished(outcome, of: batch, at: now, random: 0.5)
            #expect(conclusion.configRevision == 1, "\(outcome)")
            try queue.settle(conclusion.settlements)
            requests += 1
            #expect(server.connectionCount == 1)
        }
        #expect(requests == 6)
        #expect(stored.withLock { $0 } == expected)
        #expect(queue.counts.pending == 0)
        #expect(queue.counts.isBalanced)
    }
}
