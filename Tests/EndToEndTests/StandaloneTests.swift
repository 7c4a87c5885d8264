import Foundation
import TestSupport
import Testing

/// Without a server and without a receiver: the real program, by its configuration alone.
@Suite("Standalone, without sky")
struct StandaloneTests {
    private let kiosk: KioskAgent

    init() throws {
        kiosk = try KioskAgent()
    }

    private struct Status: Decodable {
        struct Fences: Decodable {
            let known: Int
            let monitored: Int
            let source: String
        }
        struct Queue: Decodable {
            let enqueued: Int
            let pending: Int
        }
        struct Receiver: Decodable { let state: String }
        struct Fix: Decodable { let quality: String }
        struct Server: Decodable {}
        let fences: Fences
        let queue: Queue
        let receiver: Receiver
        let fix: Fix
        let server: Server?
    }

    private func status() throws -> Status {
        try JSONDecoder().decode(Status.self, from: Data(kiosk.answer("status")))
    }

    @Test("a kiosk inside a fence arrives once, also when it is killed and started again")
    func arrivesOnce() throws {
        let expected = ["enter", "dwell", "visit_started"]
        let first = try kiosk.start()
        #expect(
            eventually(within: 20) { kiosk.recorded().map(\.type) == expected }, "\(first.errors)")
        let arrival = kiosk.recorded()
        let status = try status()
        #expect(status.fences.source == "file")
        #expect(status.fences.known == 1 && status.fences.monitored == 1)
        #expect(status.queue.enqueued == 3 && status.queue.pending == 3)
        #expect(status.receiver.state == "fix" && status.fix.quality == "manual")
        #expect(status.server == nil)
        first.send(SIGKILL)
        #expect(first.end(within: 10) != nil)

        for end in [SIGTERM, SIGKILL] {
            let next = try kiosk.start()
            // Long enough for a new enter and its dwell.
            usleep(6_000_000)
            #expect(kiosk.recorded() == arrival, "\(next.errors)")
            next.send(end)
            #expect(next.end(within: 10) != nil)
        }
    }

    @Test("a fence that is taken out of the file is left, by the next start")
    func fenceRemoved() throws {
        let first = try kiosk.start()
        #expect(eventually(within: 20) { kiosk.recorded().count == 3 }, "\(first.errors)")
        first.send(SIGTERM)
        #expect(first.end(within: 10) == 0)
        try kiosk.write("fences.geojson", #"{"type":"FeatureCollection","features":[]}"#)
        let second = try kiosk.start()
        #expect(
            eventually(within: 20) {
                kiosk.recorded().map(\.type)
                    == ["enter", "dwell", "visit_started", "exit", "visit_ended"]
            }, "\(kiosk.recorded()) \(second.errors)")
        #expect(try status().fences.known == 0)
        second.send(SIGTERM)
        #expect(second.end(within: 10) == 0)
    }
}
