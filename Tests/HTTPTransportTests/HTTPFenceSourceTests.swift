import Delivery
import Geodesy
import Geofencing
import HTTPTransport
import TestSupport
import Testing
import WireFormat

@Suite("Asking for fences")
struct HTTPFenceSourceTests {
    private func query(tag: String? = nil) throws -> FenceQuery {
        let position = try #require(Coordinate(latitude: 52.5, longitude: 13.25))
        return FenceQuery(
            position: position, accuracyMeters: 8, limit: 18, pool: 100, entityTag: tag)
    }

    private static let document = """
        {"sync_id":"s-1","server_time":"2026-01-01T00:00:00.000Z","anchor":{"lat":52.5,"lon":13.25},
        "refresh_after_m":800,"refresh_after_s":3600,"coverage_radius_m":950.5,"truncated":true,
        "limit":18,"fences":[{"id":"depot","version":2,"name":"Depot","type":"circle",
        "center":{"lat":52.5,"lon":13.25},"radius_m":120}],"config":{"revision":7,"fence_limit":18}}
        """

    private func fetch(
        _ tag: String? = nil, _ steps: [FaultServer.Step]
    ) throws -> (outcome: FenceFetchOutcome, request: FaultServer.Received) {
        let server = try FaultServer { _ in steps }
        defer { server.stop() }
        let outcome = HTTPFenceSource(try transport(server.url)).fetch(try query(tag: tag))
        return (outcome, try #require(server.received.first))
    }

    @Test("posts the position, so that it stays out of logs, and reads the set")
    func fresh() throws {
        let body = Array(Self.document.utf8)
        let (outcome, request) = try fetch(
            nil, [answer("200 OK", "application/json", body, "ETag: W/\"abc\"\r\n")])
        #expect(request.head.hasPrefix("POST /v1/fences/nearest HTTP/1.1\r\n"))
        #expect(!request.head.contains("52.5"))
        #expect(request.header("If-None-Match") == nil)
        let sent = try WireCoding.decode(NearestRequest.self, from: request.body)
        #expect(
            sent
                == NearestRequest(lat: 52.5, lon: 13.25, accuracyMeters: 8, limit: 18, pool: 100))
        guard case .fresh(let answer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(answer.fences.map(\.id) == ["depot"])
        #expect(answer.entityTag == "W/\"abc\"")
        #expect(answer.document == body)
        #expect(answer.coverage.coverageRadiusMeters == 950.5)
        #expect(answer.configuration.revision == 7)
    }

    @Test("reads no more than it has room for, and says so")
    func overLimit() throws {
        let large = Array(Self.document.utf8) + [UInt8](repeating: 32, count: 1_200_000)
        let (outcome, _) = try fetch(nil, [answer("200 OK", "application/json", large)])
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.kind == .tooLarge, "\(failure)")
    }

    @Test(
        "a broken fence is told by its pointer and defect, never by its place: it goes to the journal",
        arguments: [
            (#""center":{"lat":148.27,"lon":17.31}"#, "/fences/0/center: not on Earth"),
            (#""center":{"lat":"48.27","lon":17.31}"#, "/fences/0/center/lat: not a number"),
            (#""center":{"lat":48.27e999,"lon":17.31}"#, "not"),
            (#""geometry":{"type":"17.31"}"#, "/fences/0/geometry/type"),
        ])
    func brokenFence(member: String, expected: String) throws {
        let text = Self.document.replacing(#""center":{"lat":52.5,"lon":13.25}"#, with: member)
        let (outcome, _) = try fetch(nil, [answer("200 OK", "application/json", Array(text.utf8))])
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.message.contains(expected), "\(failure)")
        #expect(!failure.message.contains("48.2"), "\(failure)")
    }

    @Test("moves the anchor on a 304 of our server")
    func notModified() throws {
        let headers =
            "X-Sync-Id: s-2\r\nX-Refresh-After-M: 500\r\nX-Refresh-After-S: 60\r\n"
            + "X-Coverage-Radius-M: 640.25\r\n"
        let (outcome, request) = try fetch(
            "W/\"abc\"", [.text("HTTP/1.1 304 Not Modified\r\n\(headers)\r\n")])
        #expect(request.header("If-None-Match") == "W/\"abc\"")
        guard case .notModified(let coverage) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(
            coverage
                == FenceCoverage(
                    syncID: "s-2", refreshAfterMeters: 500, refreshAfterSeconds: 60,
                    coverageRadiusMeters: 640.25))
    }

    @Test("takes nobody else's 304, and none that was not asked for")
    func foreignNotModified() throws {
        let bare: [FaultServer.Step] = [.text("HTTP/1.1 304 Not Modified\r\n\r\n")]
        let full: [FaultServer.Step] = [.text("HTTP/1.1 304 Not Modified\r\nX-Sync-Id: s\r\n\r\n")]
        for (tag, steps) in [("W/\"a\"", bare), (nil, full)] as [(String?, [FaultServer.Step])] {
            guard case .failed(let failure) = try fetch(tag, steps).outcome else {
                Issue.record("taken")
                continue
            }
            #expect(failure.kind == .local)
        }
    }

    static let failures: [(String, String, String, FenceFetchFailure.Kind, Double?)] = [
        ("401 Unauthorized", "application/problem+json", "{}", .authentication, nil),
        ("403 Forbidden", "text/html", "no", .authentication, nil),
        ("404 Not Found", "text/html", "no", .configuration, nil),
        ("410 Gone", "text/html", "no", .configuration, nil),
        ("426 Upgrade", "text/html", "no", .configuration, nil),
        ("302 Found", "text/html", "no", .local, nil),
        ("511 Login", "text/html", "no", .local, nil),
        ("200 OK", "text/html", "<html>", .local, nil),
        ("200 OK", "application/json", "{}", .server, nil),
        ("200 OK", "application/json", "{\"sync_id\":", .server, nil),
        ("429 Slow", "text/html", "no", .server, nil),
        ("500 Broken", "text/html", "no", .server, nil),
        ("422 No", "application/problem+json", "{}", .server, nil),
    ]

    @Test("tells failures apart", arguments: failures)
    func failure(row: (String, String, String, FenceFetchFailure.Kind, Double?)) throws {
        let (outcome, _) = try fetch(nil, [answer(row.0, row.1, Array(row.2.utf8))])
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.kind == row.3)
        #expect(!failure.message.isEmpty)
        #expect(!failure.message.contains("52.5"))
    }

    @Test("hears how long a busy server wants to be left alone")
    func retryAfter() throws {
        let (outcome, _) = try fetch(
            nil, [answer("503 Busy", "text/plain", [], "Retry-After: 42\r\n")])
        guard case .failed(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(failure.retryAfterSeconds == 42)
    }

    @Test("an address that nobody serves is a local failure")
    func unreachable() throws {
        let source = HTTPFenceSource(try transport("http://127.0.0.1:1"))
        guard case .failed(let failure) = source.fetch(try query()) else {
            Issue.record("taken")
            return
        }
        #expect(failure.kind == .local)
    }
}
