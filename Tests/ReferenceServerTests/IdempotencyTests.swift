import Compression
import Foundation
import Synchronization
import TestSupport
import Testing
import WebServer

@testable import ReferenceServer

@Suite("Idempotency-Key")
struct IdempotencyTests {
    private let fence = circle(lat: 52, lon: 13, radius: 200)

    private func post(
        _ fixture: ServerFixture, _ path: String, _ body: String, key: String,
        admin: String? = nil, server: ReferenceServer? = nil
    ) -> Answer {
        Answer(
            (server ?? fixture.server).answer(
                Request(
                    method: "POST", target: path,
                    headers: [
                        "Authorization": "Bearer \(admin ?? fixture.adminKey)",
                        "Content-Type": "application/json", "Idempotency-Key": key,
                    ], body: Array(body.utf8), peer: "192.0.2.1")))
    }

    private func count(_ fixture: ServerFixture) -> Int? {
        fixture.admin("GET", "/v1/admin/fences")["fences"]?.array?.count
    }

    @Test("the same again is answered again and done once, after a restart too")
    func again() throws {
        let fixture = try ServerFixture()
        let first = post(fixture, "/v1/admin/fences", fence, key: "k")
        #expect(first.status == 201)
        let second = post(fixture, "/v1/admin/fences", fence, key: "k")
        #expect(second.status == 201 && second.text == first.text)
        let restarted = ReferenceServer(
            store: fixture.store, timekeeper: fixture.clock, log: PrintingLog())
        let third = post(fixture, "/v1/admin/fences", fence, key: "k", server: restarted)
        #expect(third.text == first.text && count(fixture) == 1)
        #expect(post(fixture, "/v1/admin/fences", fence, key: "l").status == 201)
        #expect(count(fixture) == 2)
        fixture.clock.advance(seconds: 24 * 3_600)
        #expect(post(fixture, "/v1/admin/fences", fence, key: "k").text != first.text)
        #expect(count(fixture) == 3)
    }

    @Test("another body, or another path, under the same key is 422")
    func otherRequest() throws {
        let fixture = try ServerFixture()
        #expect(post(fixture, "/v1/admin/fences", fence, key: "k").status == 201)
        let other = post(fixture, "/v1/admin/fences", circle(lat: 1, lon: 1, radius: 50), key: "k")
        #expect(other.status == 422 && other.code == "idempotency_key_reused")
        #expect(post(fixture, "/v1/admin/keys", fence, key: "k").status == 422)
        #expect(count(fixture) == 1)
        // Keys of another workspace are others.
        let admin = try fixture.anotherWorkspace().adminKey
        #expect(post(fixture, "/v1/admin/fences", fence, key: "k", admin: admin).status == 201)
    }

    @Test("a refused request leaves its key free")
    func refused() throws {
        let fixture = try ServerFixture()
        #expect(post(fixture, "/v1/admin/fences", "{}", key: "k").status == 422)
        #expect(post(fixture, "/v1/admin/fences", fence, key: "k").status == 201)
        for wrong in ["", "a b", "ä", String(repeating: "x", count: 256)] {
            let answer = post(fixture, "/v1/admin/fences", fence, key: wrong)
            #expect(answer.status == 400 && answer.code == "idempotency_key_invalid")
        }
    }

    @Test("at once it is done once, and the others are told 409 or the answer")
    func race() throws {
        let fixture = try ServerFixture()
        let answers = Mutex<[(Int, String)]>([])
        DispatchQueue.concurrentPerform(iterations: 24) { _ in
            let answer = post(fixture, "/v1/admin/fences", fence, key: "k")
            answers.withLock { $0.append((answer.status, answer.text)) }
        }
        let all = answers.withLock { $0 }
        #expect(Set(all.filter { $0.0 == 201 }.map(\.1)).count == 1)
        #expect(all.allSatisfy { $0.0 == 201 || $0.0 == 409 })
        #expect(count(fixture) == 1)
    }

    @Test("the same body is the same request, compressed or not")
    func transportCoding() throws {
        let fixture = try ServerFixture()
        func post(_ body: [UInt8], gzip: Bool) -> Answer {
            var headers: Headers = [
                "Authorization": "Bearer \(fixture.adminKey)", "Content-Type": "application/json",
                "Idempotency-Key": "k",
            ]
            if gzip { headers["Content-Encoding"] = "gzip" }
            return Answer(
                fixture.server.answer(
                    Request(
                        method: "POST", target: "/v1/admin/fences", headers: headers, body: body,
                        peer: "192.0.2.1")))
        }
        let plain = Array(fence.utf8)
        let first = post(try Gzip.compress(plain), gzip: true)
        #expect(first.status == 201)
        #expect(post(plain, gzip: false).text == first.text)
        #expect(post(try Gzip.compress(plain, level: 1), gzip: true).text == first.text)
        let other = post(try Gzip.compress(plain + [0x20]), gzip: true)
        #expect(other.status == 422 && other.code == "idempotency_key_reused")
        #expect(post([1, 2, 3], gzip: true).code == "damaged_gzip")
        #expect(count(fixture) == 1)
    }

    @Test("one that was cut short is not done again")
    func interrupted() throws {
        let fixture = try ServerFixture()
        let hash = try Idempotency.hash(
            of: Request(method: "POST", target: "/v1/admin/fences"), body: Array(fence.utf8))
        _ = try fixture.store.reserveAnswer(
            "k", hash: hash, in: fixture.workspace.id, now: fixture.clock.wallClock.time)
        let answer = post(fixture, "/v1/admin/fences", fence, key: "k")
        #expect(answer.status == 409 && answer.code == "idempotency_answer_gone")
        #expect(count(fixture) == 0)
    }

    @Test("a key that is shown once is shown again while the server runs, and never written")
    func secret() throws {
        let fixture = try ServerFixture()
        let body = "{\"scope\": \"live\"}"
        let first = post(fixture, "/v1/admin/keys", body, key: "k")
        let text = try #require(first["key"]?.string)
        #expect(post(fixture, "/v1/admin/keys", body, key: "k").text == first.text)
        #expect(fixture.admin("GET", "/v1/admin/keys")["keys"]?.array?.count == 3)
        try fixture.store.checkpoint()
        let file = try Data(contentsOf: URL(fileURLWithPath: fixture.directory.file("server.db")))
        #expect(file.range(of: Data(text.utf8)) == nil)
        let restarted = ReferenceServer(
            store: fixture.store, timekeeper: fixture.clock, log: PrintingLog())
        let later = post(fixture, "/v1/admin/keys", body, key: "k", server: restarted)
        #expect(later.status == 409)
        #expect(fixture.admin("GET", "/v1/admin/keys")["keys"]?.array?.count == 3)
    }
}
