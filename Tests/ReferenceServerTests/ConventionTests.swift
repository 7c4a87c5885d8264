import Compression
import Foundation
import SQLite
import TestSupport
import Testing
import Timekeeping
import WebServer

@testable import ReferenceServer

@Suite("Conventions of the wire")
struct ConventionTests {
    @Test("metrics are told without what a broken store does not say")
    func metrics() throws {
        let fixture = try ServerFixture()
        let gauge = "geofence_server_interleaved_devices 0\n"
        let whole = fixture.ask("GET", "/metrics")
        #expect(whole.status == 200 && whole.text.contains(gauge))
        let database = try Connection(path: fixture.directory.file("server.db"))
        try database.run("ALTER TABLE epochs RENAME TO gone")
        let rest = fixture.ask("GET", "/metrics")
        #expect(rest.status == 200 && !rest.text.contains("interleaved_devices"))
        #expect(rest.text.contains("# TYPE"))
    }

    @Test("every answer tells the server's time, and a client's clock only when it is off by 2 s")
    func serverTime() throws {
        let fixture = try ServerFixture()
        let now = fixture.clock.wallClock.time
        let rows: [(Int64, String?)] = [
            (0, nil), (2_000, nil), (-2_000, nil), (2_001, "2001"), (-86_400_000, "-86400000"),
        ]
        for (offset, skew) in rows {
            let answer = fixture.ask(
                "GET", "/v1/healthz",
                headers: ["X-Client-Time": now.advanced(byMilliseconds: offset).rfc3339])
            #expect(answer.response.headers["X-Server-Time"] == now.rfc3339)
            #expect(answer.response.headers["X-Clock-Skew-Ms"] == skew)
        }
    }

    @Test(
        "a wrong key is told which way it is wrong",
        arguments: [
            ("missing", "key_missing"), ("unknown", "key_unknown"), ("revoked", "key_revoked"),
            ("expired", "key_expired"),
        ])
    func keys(kind: String, code: String) throws {
        let fixture = try ServerFixture()
        let now = fixture.clock.wallClock.time
        let room = fixture.workspace.id
        let end = now.advanced(byMilliseconds: 1_000)
        let expiring = try ServerFixture.issue(
            .live, room, fixture.store, now, expiresAt: end)
        let revoked = try ServerFixture.issue(.live, room, fixture.store, now)
        let last = try #require(try fixture.store.keys(of: room).last)
        #expect(try fixture.store.revokeKey(last.id, of: room, now: now))
        fixture.clock.advance(seconds: 1)
        let texts = ["unknown": "gk_live_00", "revoked": revoked, "expired": expiring]
        var headers = ["X-Device-Id": "d"]
        headers["Authorization"] = texts[kind].map { "Bearer \($0)" }
        let answer = fixture.ask("GET", "/v1/config", headers: headers)
        #expect(answer.status == 401)
        #expect(answer.code == code)
        #expect(answer.response.headers["WWW-Authenticate"] == "Bearer")
    }

    @Test("a key is taken from X-API-Key too")
    func alias() throws {
        let fixture = try ServerFixture()
        let answer = fixture.ask(
            "GET", "/v1/config",
            headers: ["X-API-Key": fixture.deviceKey, "X-Device-Id": "van-7"])
        #expect(answer.status == 200)
    }

    @Test("a key opens the routes of its scope only")
    func scopes() throws {
        let fixture = try ServerFixture()
        let device = fixture.admin("GET", "/v1/admin/events", key: fixture.deviceKey)
        #expect(device.status == 403 && device.code == "scope")
        let admin = fixture.device("GET", "/v1/config", key: fixture.adminKey)
        #expect(admin.status == 403 && admin.code == "scope")
    }

    @Test("a key bound to a device refuses every other one")
    func boundKey() throws {
        let fixture = try ServerFixture()
        let key = try ServerFixture.issue(
            .live, fixture.workspace.id, fixture.store, fixture.clock.wallClock.time,
            device: "van-7")
        #expect(fixture.device("GET", "/v1/config", key: key).status == 200)
        let other = fixture.device("GET", "/v1/config", key: key, id: "van-8")
        #expect(other.status == 403 && other.code == "device_mismatch")
    }

    @Test(
        "a device says who it is",
        arguments: [
            (nil as String?, "device_id_missing"), ("", "device_id_invalid"),
            ("a b", "device_id_invalid"), ("ä", "device_id_invalid"),
            (String(repeating: "x", count: 65), "device_id_invalid"),
            (String(repeating: "x", count: 64), ""), ("A-z.0_9", ""),
        ])
    func deviceID(id: String?, code: String) throws {
        let fixture = try ServerFixture()
        var headers = ["Authorization": "Bearer \(fixture.deviceKey)"]
        headers["X-Device-Id"] = id
        let answer = fixture.ask("GET", "/v1/config", headers: headers)
        #expect(answer.status == (code.isEmpty ? 200 : 400))
        #expect(answer.code ?? "" == code)
    }

    @Test(
        "a user id that is none is refused, rather than taken for none",
        arguments: [
            ("", 400), ("a b", 400), ("ä", 400), (String(repeating: "x", count: 129), 400),
            (String(repeating: "x", count: 128), 200), ("member-3@x", 200),
        ])
    func userID(id: String, status: Int) throws {
        let answer = try ServerFixture().device("GET", "/v1/config", headers: ["X-User-Id": id])
        #expect(answer.status == status)
        if status == 400 { #expect(answer.code == "user_id_invalid") }
    }

    @Test("unknown paths and methods are told apart, with Allow")
    func routing() throws {
        let fixture = try ServerFixture()
        #expect(fixture.ask("GET", "/v2").status == 404)
        #expect(fixture.ask("GET", "/v1/healthz/x").status == 404)
        let answer = fixture.ask("PATCH", "/v1/fences/nearest")
        #expect(answer.status == 405)
        #expect(answer.response.headers["Allow"] == "GET, HEAD, POST")
        #expect(fixture.ask("HEAD", "/v1/healthz").status == 200)
    }

    @Test("an error is a problem document with a stable code")
    func problems() throws {
        let answer = try ServerFixture().ask("GET", "/nowhere")
        #expect(answer.response.headers["Content-Type"] == "application/problem+json")
        #expect(answer["status"]?.number == 404)
        #expect(answer["title"]?.string == "Not Found")
        #expect(answer["code"]?.string == "not_found")
        #expect(answer["instance"]?.string == "/nowhere")
        #expect(answer["retryable"]?.bool == false)
        #expect(answer["request_id"]?.string == answer.response.headers["X-Request-Id"])
    }

    @Test(
        "a body that is not JSON is refused with its place",
        arguments: [
            ("{\"a\": 1,\n  \"b\": }", "line 2, column 8"),
            ("", "line 1, column 1"),
            ("{} x", "line 1, column 4"),
        ])
    func malformed(body: String, place: String) throws {
        let answer = try ServerFixture().admin("PUT", "/v1/admin/config", body)
        #expect(answer.status == 400 && answer.code == "malformed_json")
        #expect(answer["detail"]?.string?.hasPrefix(place) == true, "\(answer.text)")
    }

    @Test("only JSON is taken, and only gzip as its coding")
    func mediaTypes() throws {
        let fixture = try ServerFixture()
        let rows: [([String: String], Int)] = [
            (["Content-Type": "text/plain"], 415),
            (["Content-Type": "application/json; charset=utf-8"], 200),
            (["Content-Type": "Application/JSON"], 200),
            (["Content-Type": "application/json", "Content-Encoding": "br"], 415),
            (["Content-Type": "application/json", "Content-Encoding": "identity"], 200),
            (["Content-Type": "application/json", "Content-Encoding": "gzip"], 400),
        ]
        for (headers, status) in rows {
            var all = headers
            all["Authorization"] = "Bearer \(fixture.adminKey)"
            let answer = fixture.ask("PUT", "/v1/admin/config", "{}", headers: all)
            #expect(answer.status == status, "\(headers)")
        }
    }

    @Test("a gzip body is inflated, a bomb is 413")
    func gzip() throws {
        let fixture = try ServerFixture()
        let bodies: [([UInt8], Int)] = [
            (Array("{\"fence_limit\": 12}".utf8), 200),
            ([UInt8](repeating: UInt8(ascii: " "), count: 1_048_577), 413),
        ]
        for (body, status) in bodies {
            let packed = try Gzip.compress(body)
            #expect(packed.count < 10_000)
            let response = fixture.server.answer(
                Request(
                    method: "PUT", target: "/v1/admin/config",
                    headers: [
                        "Authorization": "Bearer \(fixture.adminKey)",
                        "Content-Type": "application/json", "Content-Encoding": "gzip",
                    ], body: packed))
            #expect(response.status == status)
        }
    }

    @Test(
        "a long answer is compressed where gzip is accepted",
        arguments: [
            ("gzip", true), ("br, gzip;q=0.5", true), ("*", true), ("", false),
            ("gzip;q=0", false), ("identity", false),
        ])
    func compressedAnswers(field: String, isCompressed: Bool) throws {
        let fixture = try ServerFixture()
        for index in 0..<20 {
            let answer = fixture.admin(
                "PUT", "/v1/admin/fences/f\(index)", circle(lat: 52, lon: 13, radius: 200))
            #expect(answer.status == 201)
        }
        let answer = fixture.device(
            "GET", "/v1/fences/nearest?lat=52&lon=13", headers: ["Accept-Encoding": field])
        #expect((answer.response.headers["Content-Encoding"] == "gzip") == isCompressed)
        let body =
            isCompressed
            ? try Gzip.decompress(answer.response.body, limit: 1 << 20) : answer.response.body
        #expect(body.starts(with: Array("{\"sync_id\"".utf8)))
    }

    @Test("refusals of the web server are problem documents too")
    func refusals() throws {
        let fixture = try ServerFixture()
        let request = Request(method: "POST", target: "/v1/events/batch")
        let tooLarge = Answer(fixture.server.refuse(.bodyTooLarge(limit: 5), request))
        #expect(tooLarge.status == 413 && tooLarge.code == "body_too_large")
        let target = Answer(fixture.server.refuse(.targetTooLong(limit: 5), request))
        #expect(target.status == 414 && target.code == "target_too_long")
        let fields = Answer(fixture.server.refuse(.fieldsTooLarge(limit: 5), request))
        #expect(fields.status == 431 && fields.code == "fields_too_large")
        let host = Answer(fixture.server.refuse(.badHost, request))
        #expect(host.status == 400 && host.code == "host_invalid")
        let busy = Answer(fixture.server.refuse(.overloaded, request))
        #expect(busy.status == 503 && busy["retryable"]?.bool == true)
        #expect(busy.response.headers["Retry-After"] == "2")
        #expect(busy.response.headers["X-Server-Time"] != nil)
        let metrics = fixture.ask("GET", "/metrics").text
        for status in [400, 413, 414, 431, 503] {
            #expect(metrics.contains("geofence_server_answers_total{status=\"\(status)\"} 1\n"))
        }
    }

    @Test("who is told when to come again is told that it may succeed")
    func retryable() {
        #expect(RequestProblem(409, "c", "d", headers: ["Retry-After": "1"]).isRetryable)
        #expect(!RequestProblem(409, "c", "d").isRetryable)
        #expect(RequestProblem(429, "c", "d").isRetryable)
        #expect(RequestProblem(503, "c", "d").isRetryable)
    }

    @Test("two workspaces cannot see each other")
    func isolation() throws {
        let fixture = try ServerFixture()
        let other = try fixture.anotherWorkspace()
        #expect(
            fixture.admin("PUT", "/v1/admin/fences/a", circle(lat: 52, lon: 13, radius: 200))
                .status == 201)
        #expect(fixture.upload([EventText("e-1").json]).outcomes == ["accepted"])
        for path in ["fences", "events", "visits", "devices"] {
            let answer = fixture.admin("GET", "/v1/admin/\(path)", key: other.adminKey)
            #expect(answer[path]?.array?.isEmpty == true, "\(path): \(answer.text)")
        }
        let key = other.adminKey
        #expect(fixture.admin("GET", "/v1/admin/fences/a", key: key).status == 404)
        #expect(fixture.admin("DELETE", "/v1/admin/fences/a", key: key).status == 404)
        #expect(fixture.admin("DELETE", "/v1/admin/keys/1", key: key).status == 404)
        let near = fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13", key: other.deviceKey)
        #expect(near["fences"]?.array?.isEmpty == true)
        #expect(near["coverage_radius_m"] == .null)
        // The same id means another event there.
        #expect(
            fixture.upload([EventText("e-1").json], key: other.deviceKey).outcomes == ["accepted"])
        let replaced = fixture.admin(
            "PUT", "/v1/admin/fences.geojson", "{\"type\":\"FeatureCollection\",\"features\":[]}",
            key: key)
        #expect(replaced["deleted"]?.array?.isEmpty == true)
        #expect(fixture.admin("GET", "/v1/admin/fences/a").status == 200)
    }

    @Test("keys are issued, listed without their text, and revoked")
    func keyRoutes() throws {
        let fixture = try ServerFixture()
        let issued = fixture.admin("POST", "/v1/admin/keys", "{\"scope\": \"live\"}")
        let text = try #require(issued["key"]?.string)
        #expect(issued.status == 201 && text.hasPrefix("gk_live_") && text.utf8.count == 72)
        #expect(fixture.device("GET", "/v1/config", key: text).status == 200)
        let list = fixture.admin("GET", "/v1/admin/keys")
        #expect(!list.text.contains(text))
        #expect(list["keys"]?.array?.last?["last_four"]?.string == String(text.suffix(4)))
        let id = Int(issued["id"]?.number ?? 0)
        #expect(fixture.admin("DELETE", "/v1/admin/keys/\(id)").status == 204)
        #expect(fixture.device("GET", "/v1/config", key: text).code == "key_revoked")
    }

    @Test("a trial has two device keys, bound ones and the administrator's apart")
    func keyLimit() throws {
        let fixture = try ServerFixture(plan: .trial)
        func issue(_ body: String) -> Int {
            fixture.admin("POST", "/v1/admin/keys", body).status
        }
        #expect(issue("{\"scope\": \"trial\"}") == 201)
        #expect(issue("{\"scope\": \"trial\"}") == 422)
        #expect(issue("{\"scope\": \"trial\", \"device_id\": \"van-7\"}") == 201)
        #expect(issue("{\"scope\": \"admin\"}") == 201)
    }
}

func circle(lat: Double, lon: Double, radius: Double) -> String {
    """
    {"type": "circle", "center": {"lat": \(lat), "lon": \(lon)}, "radius_m": \(radius)}
    """
}
