import Compression
import Delivery
import Foundation
import HTTPTransport
import TestSupport
import Testing
import Timekeeping
import WireFormat

func transport(
    _ url: String, userID: String? = nil, authorityFile: String? = nil,
    clock: @escaping @Sendable () -> VerificationClock = { .system }
) throws -> HTTPConnection {
    HTTPConnection(
        settings: TransportSettings(
            server: try ServerURL(url), apiKey: "gk_trial_secret", deviceID: "van-7",
            userID: userID, authorityFile: authorityFile, version: "1.2", architecture: "aarch64"),
        timekeeper: SettableTimekeeper(), verificationClock: clock)
}

func sampleBatch(_ count: Int = 3, id: String = "b-1") throws -> OutgoingBatch {
    let queue = InMemoryEventQueue()
    _ = try queue.commit(SampleEvents.drafts(count), state: .none)
    return OutgoingBatch(
        batchID: id,
        events: try queue.pending(.oldest(limit: count, maxBytes: .max, excluding: [])),
        counts: queue.counts,
        clockAnchors: [
            ClockAnchor(
                bootID: SampleEvents.bootID, uptime: Uptime(milliseconds: 1),
                utc: UTCTime(millisecondsSince1970: 2), source: .gnss)
        ])
}

/// A whole answer with its length.
func answer(
    _ status: String, _ type: String?, _ body: [UInt8], _ headers: String = ""
) -> FaultServer.Step {
    let contentType = type.map { "Content-Type: \($0)\r\n" } ?? ""
    let head = "HTTP/1.1 \(status)\r\n\(contentType)\(headers)Content-Length: \(body.count)\r\n\r\n"
    return .write(Array(head.utf8) + body)
}

func receiptBody(
    _ batch: OutgoingBatch, id: String? = nil, status: BatchAnswer.Status = .accepted
) -> [UInt8] {
    let results = batch.events.map {
        BatchAnswer.Result(clientEventID: $0.clientEventID, status: status)
    }
    let document = BatchAnswer(
        batchID: id ?? batch.batchID, serverTime: UTCTime(millisecondsSince1970: 0),
        configRevision: 4, results: results)
    return (try? WireCoding.encode(document)) ?? []
}

@Suite("Uploading")
struct HTTPEventSenderTests {
    @Test("sends what the wire says, and reads the receipt")
    func wire() throws {
        let batch = try sampleBatch(3)
        let body = receiptBody(batch)
        let server = try FaultServer { _ in [answer("200 OK", "application/json", body)] }
        defer { server.stop() }
        let sender = HTTPEventSender(
            try transport(server.url, userID: "u-9"), timekeeper: SettableTimekeeper())
        let outcome = sender.send(batch)
        guard case .receipt(let receipt) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(receipt.results.count == 3)
        #expect(receipt.configRevision == 4)
        let request = try #require(server.received.first)
        #expect(request.head.hasPrefix("POST /v1/events/batch HTTP/1.1\r\n"))
        #expect(request.header("Authorization") == "Bearer gk_trial_secret")
        #expect(request.header("X-Device-Id") == "van-7")
        #expect(request.header("X-User-Id") == "u-9")
        #expect(request.header("User-Agent") == "geofenced/1.2 (linux; aarch64)")
        #expect(request.header("X-Client-Time") == "2027-01-15T08:01:40.000Z")
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("Content-Encoding") == "gzip")
        #expect(request.header("Expect") == nil)
        let sent = try WireCoding.decode(
            EventBatch.self, from: try Gzip.decompress(request.body, limit: 1 << 20))
        #expect(sent.batchID.text == "b-1")
        #expect(sent.deviceID.text == "van-7")
        #expect(sent.queue.pending == 3)
        #expect(sent.clockAnchors.count == 1)
        #expect(sent.events.map(\.clientEventID.text) == batch.events.map(\.clientEventID))
        let plain = try Gzip.decompress(request.body, limit: 1 << 20)
        for event in batch.events {
            #expect(Data(plain).range(of: Data(event.payload)) != nil)
        }
    }

    @Test("uses one connection for many requests, and a new one after a change of the network")
    func keepAlive() throws {
        let batch = try sampleBatch(1)
        let body = receiptBody(batch)
        let server = try FaultServer { _ in [answer("200 KEEP", "application/json", body)] }
        defer { server.stop() }
        let connection = try transport(server.url)
        let sender = HTTPEventSender(connection, timekeeper: SettableTimekeeper())
        for _ in 0..<5 {
            guard case .receipt = sender.send(batch) else {
                Issue.record("no receipt")
                return
            }
        }
        #expect(server.connections == 1)
        connection.networkChanged()
        _ = sender.send(batch)
        #expect(server.connections == 2)
    }

    @Test(
        "follows no redirection, not even to a server that would answer",
        arguments: [
            "301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent",
        ])
    func redirection(status: String) throws {
        let batch = try sampleBatch(1)
        let body = receiptBody(batch)
        let server = try FaultServer { request in
            request.head.contains("/v1/events/batch ")
                ? [answer(status, Self.json, [], "Location: /elsewhere\r\n")]
                : [answer("200 OK", Self.json, body)]
        }
        defer { server.stop() }
        let sender = HTTPEventSender(
            try transport(server.url), timekeeper: SettableTimekeeper())
        guard case .unreachable(.captivePortal, _) = sender.send(batch) else {
            Issue.record("not a portal")
            return
        }
        #expect(server.received.count == 1)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: @Sendable (OutgoingBatch) -> [FaultServer.Step]

        init(
            _ name: String, _ steps: @escaping @Sendable (OutgoingBatch) -> [FaultServer.Step]
        ) {
            testDescription = name
            self.steps = steps
        }
    }

    static let json = "application/json"
    static let portal = Array("<html><body>Welcome to Hotel WiFi</body></html>".utf8)

    /// Answers that look like success and are none.
    static let falseReceipts: [Case] = [
        Case("200 with HTML") { _ in [answer("200 OK", "text/html", portal)] },
        Case("200 JSON type with HTML") { _ in [answer("200 OK", json, portal)] },
        Case("200 without type") { [answer("200 OK", nil, receiptBody($0))] },
        Case("200 as text") { [answer("200 OK", "text/plain", receiptBody($0))] },
        Case("200 empty") { _ in [answer("200 OK", json, [])] },
        Case("200 empty object") { _ in [answer("200 OK", json, Array("{}".utf8))] },
        Case("200 null") { _ in [answer("200 OK", json, Array("null".utf8))] },
        Case("200 array") { _ in [answer("200 OK", json, Array("[]".utf8))] },
        Case("200 wrong batch") { [answer("200 OK", json, receiptBody($0, id: "b-0"))] },
        Case("200 results not a list") { batch in
            [answer("200 OK", json, Array(#"{"batch_id":"b-1","results":{}}"#.utf8))]
        },
        Case("200 truncated JSON") { [answer("200 OK", json, receiptBody($0).dropLast(2))] },
        Case("200 shorter than its length") { batch in
            let body = receiptBody(batch)
            return [
                .text("HTTP/1.1 200 OK\r\nContent-Type: \(json)\r\n"),
                .text("Content-Length: \(body.count + 10)\r\n\r\n"), .write(body),
            ]
        },
        Case("200 chunked without the last chunk") { batch in
            let body = receiptBody(batch)
            let size = String(body.count, radix: 16)
            return [
                .text(
                    "HTTP/1.1 200 OK\r\nContent-Type: \(json)\r\nTransfer-Encoding: chunked\r\n\r\n"
                ),
                .text("\(size)\r\n"), .write(body), .text("\r\n"),
            ]
        },
        Case("200 larger than the limit") { batch in
            [answer("200 OK", json, receiptBody(batch) + [UInt8](repeating: 32, count: 300_000))]
        },
        Case("200 zip bomb") { batch in
            let bomb = (try? Gzip.compress([UInt8](repeating: 32, count: 5_000_000))) ?? []
            return [answer("200 OK", json, bomb, "Content-Encoding: gzip\r\n")]
        },
        Case("200 damaged gzip") { _ in
            [answer("200 OK", json, [31, 139, 8, 0, 1, 2, 3, 4], "Content-Encoding: gzip\r\n")]
        },
        Case("200 for nobody") { _ in
            let body =
                #"{"batch_id":"b-1","results":[{"client_event_id":"x","status":"accepted"}]}"#
            return [answer("200 OK", json, Array(body.utf8))]
        },
        Case("200 of unknown status") { batch in
            let id = batch.events[0].clientEventID
            let body =
                #"{"batch_id":"b-1","results":[{"client_event_id":"\#(id)","status":"ok"}]}"#
            return [answer("200 OK", json, Array(body.utf8))]
        },
        Case("200 naming an event twice") { batch in
            let result = #"{"client_event_id":"\#(batch.events[0].clientEventID)","status":"#
            let body =
                #"{"batch_id":"b-1","results":[\#(result)"accepted"},\#(result)"rejected"}]}"#
            return [answer("200 OK", json, Array(body.utf8))]
        },
        Case("201") { [answer("201 Created", json, receiptBody($0))] },
        Case("202") { [answer("202 Accepted", json, receiptBody($0))] },
        Case("203") { [answer("203 Non-Authoritative", json, receiptBody($0))] },
        Case("204") { _ in [.text("HTTP/1.1 204 No Content\r\n\r\n")] },
        Case("206") { [answer("206 Partial", json, receiptBody($0))] },
        Case("207") { [answer("207 Multi-Status", json, receiptBody($0))] },
        Case("301 to nowhere") { [answer("301 Moved", json, receiptBody($0), "Location: /x\r\n")] },
        Case("302 to a portal") { batch in
            [answer("302 Found", "text/html", portal, "Location: http://127.0.0.1:1/login\r\n")]
        },
        Case("303") { [answer("303 See Other", json, receiptBody($0), "Location: /x\r\n")] },
        Case("304") { _ in [.text("HTTP/1.1 304 Not Modified\r\n\r\n")] },
        Case("307") { [answer("307 Temporary", json, receiptBody($0), "Location: /x\r\n")] },
        Case("308") { [answer("308 Permanent", json, receiptBody($0), "Location: /x\r\n")] },
        Case("a reset after the receipt's head") { batch in
            [
                .text("HTTP/1.1 200 OK\r\nContent-Type: \(json)\r\nContent-Length: 400\r\n\r\n{"),
                .reset,
            ]
        },
        Case("no HTTP at all") { _ in [.text("220 mail.example.org ESMTP\r\n")] },
        Case("nothing") { _ in [] },
    ]

    @Test(
        "takes none of the false receipts for one: no event leaves the queue",
        arguments: falseReceipts)
    func falseReceipt(item: Case) throws {
        let queue = InMemoryEventQueue()
        _ = try queue.commit(SampleEvents.drafts(3), state: .none)
        var planner = UploadPlanner(batchPrefix: "b")
        let now = Uptime(milliseconds: 0)
        guard case .send(let plan) = planner.step(at: now, pendingCount: 3) else {
            Issue.record("no plan")
            return
        }
        let batch = OutgoingBatch(
            batchID: plan.batchID, events: try queue.pending(plan.selection),
            counts: queue.counts, clockAnchors: [])
        let server = try FaultServer { _ in item.steps(batch) }
        defer { server.stop() }
        let sender = HTTPEventSender(try transport(server.url), timekeeper: SettableTimekeeper())
        let outcome = sender.send(batch)
        let conclusion = planner.finished(outcome, of: batch, at: now, random: 0.5)
        #expect(conclusion.settlements.isEmpty, "\(outcome)")
        #expect(server.received.count == 1)
        // The same answer to a batch without events, where a receipt names none.
        var alone = planner
        let anchors = OutgoingBatch(
            batchID: batch.batchID, events: [], counts: queue.counts, clockAnchors: [])
        let taken = alone.finished(outcome, of: anchors, at: now, random: 0.5)
        #expect(taken == UploadConclusion(), "\(outcome)")
    }

    @Test("takes a receipt without results for one only where no event was sent")
    func emptyReceipt() throws {
        let batch = try sampleBatch()
        let body = #"{"batch_id":"\#(batch.batchID)","results":[]}"#
        let server = try FaultServer { _ in [answer("200 OK", Self.json, Array(body.utf8))] }
        defer { server.stop() }
        let sender = HTTPEventSender(try transport(server.url), timekeeper: SettableTimekeeper())
        let outcome = sender.send(batch)
        #expect(outcome == .receipt(Receipt(results: [:])))
        let now = Uptime(milliseconds: 0)
        var planner = UploadPlanner(batchPrefix: "b")
        #expect(
            planner.finished(outcome, of: batch, at: now, random: 0.5) == UploadConclusion())
        #expect(planner.connectivity == .serverBusy)
        var alone = batch
        alone.events = []
        #expect(planner.finished(outcome, of: alone, at: now, random: 0.5).hasAnchors)
        #expect(planner.connectivity == .online)
    }

    static let refusals: [(String, String, Int, Double?)] = [
        ("400 Bad Request", "", 400, nil), ("401 Unauthorized", "", 401, nil),
        ("413 Too Large", "", 413, nil), ("429 Slow", "Retry-After: 7\r\n", 429, 7),
        (
            "503 Busy",
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n",
            503, 30
        ), ("503 Busy", "Retry-After: soon\r\n", 503, nil), ("500 Broken", "", 500, nil),
    ]

    @Test("reports an error answer with its status and its Retry-After", arguments: refusals)
    func refusal(row: (String, String, Int, Double?)) throws {
        let server = try FaultServer { _ in
            [answer(row.0, "text/html", Self.portal, row.1)]
        }
        defer { server.stop() }
        let sender = HTTPEventSender(try transport(server.url), timekeeper: SettableTimekeeper())
        let expected = Refusal(status: row.2, retryAfterSeconds: row.3)
        #expect(sender.send(try sampleBatch()) == .refused(expected))
    }

    @Test("reads the code of a problem document, whatever that points at")
    func problem() throws {
        for pointer in ["/events/2/type", "/device_id"] {
            let problem = Problem(
                title: "t", status: 422, detail: "d", instance: "i", code: "invalid_event",
                retryable: false,
                errors: [.init(pointer: pointer, code: "c", detail: "d")], requestID: "r")
            let body = try WireCoding.encode(problem)
            let server = try FaultServer { _ in
                [answer("422 Unprocessable", "application/problem+json", body)]
            }
            defer { server.stop() }
            let sender = HTTPEventSender(
                try transport(server.url), timekeeper: SettableTimekeeper())
            let expected = Refusal(status: 422, reason: "invalid_event")
            #expect(sender.send(try sampleBatch()) == .refused(expected))
        }
    }

    @Test("reads a receipt that comes in chunks, compressed, or slowly")
    func oddButWhole() throws {
        let batch = try sampleBatch()
        let body = receiptBody(batch)
        let size = String(body.count, radix: 16)
        let packed = try Gzip.compress(body)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n"
        let forms: [[FaultServer.Step]] = [
            [
                .text("HTTP/1.1 100 Continue\r\n\r\n"),
                .text("\(head)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n"), .write(body),
                .text("\r\n0\r\n\r\n"),
            ],
            [
                .text("\(head)Content-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"),
                .write(packed),
            ],
            [
                .text("\(head)Content-Length: \(body.count)\r\n\r\n"),
                .drip(body, pauseSeconds: 0.001),
            ],
        ]
        for steps in forms {
            let server = try FaultServer { _ in steps }
            defer { server.stop() }
            let sender = HTTPEventSender(
                try transport(server.url), timekeeper: SettableTimekeeper())
            guard case .receipt(let receipt) = sender.send(batch) else {
                Issue.record("no receipt")
                continue
            }
            #expect(receipt.results.count == 3)
        }
    }
}
