import Testing
import Timekeeping

@testable import ReferenceServer

@Suite("How often one may ask")
struct RequestRateTests {
    @Test("a bucket gives its burst at once, then its rate, and tells when to come again")
    func bucket() throws {
        let rate = RequestRate(.init(perSecond: 2, burst: 3))
        let start = try #require(UTCTime(rfc3339: "2026-01-01T00:00:00Z"))
        for _ in 0..<3 { #expect(rate.take("a", at: start) == nil) }
        #expect(rate.take("a", at: start) == 0.5)
        #expect(rate.take("b", at: start) == nil)
        let later = start.advanced(byMilliseconds: 499)
        #expect(rate.take("a", at: later) != nil)
        #expect(rate.take("a", at: later.advanced(byMilliseconds: 1)) == nil)
        // A clock that is set back neither fills nor empties.
        #expect(rate.take("a", at: start.advanced(byMilliseconds: -86_400_000)) != nil)
        #expect(rate.take("a", at: start.advanced(byMilliseconds: 86_400_000)) == nil)
    }

    @Test("more names than a table holds do not make it grow")
    func names() throws {
        let rate = RequestRate(.init(perSecond: 1, burst: 1))
        let start = try #require(UTCTime(rfc3339: "2026-01-01T00:00:00Z"))
        for index in 0..<25_000 { _ = rate.take("\(index)", at: start) }
        #expect(rate.count <= RequestRate.capacity)
    }

    @Test("a key that asks too often is told 429 and when to come again, another goes on")
    func key() throws {
        var limits = RequestLimits()
        limits.keyRequestsPerSecond = 0.5
        limits.keyBurst = 3
        let fixture = try ServerFixture(requests: limits)
        for _ in 0..<3 { #expect(fixture.device("GET", "/v1/config").status == 200) }
        let refused = fixture.device("GET", "/v1/config")
        #expect(refused.status == 429 && refused.code == "rate_limited")
        #expect(refused["retryable"]?.bool == true)
        #expect(refused.response.headers["Retry-After"] == "2")
        #expect(fixture.admin("GET", "/v1/admin/config").status == 200)
        fixture.clock.advance(seconds: 2)
        #expect(fixture.device("GET", "/v1/config").status == 200)
    }

    @Test("who guesses keys or codes waits longer and longer, others do not, and it passes")
    func guessing() throws {
        let fixture = try ServerFixture()
        func delay(_ key: String) -> Double {
            let answer = fixture.device("GET", "/v1/config", key: key)
            return answer.response.delaySeconds
        }
        var delays: [Double] = []
        for index in 0..<60 { delays.append(delay("gk_live_\(index)")) }
        #expect(delays.prefix(5).allSatisfy { $0 == 0 })
        #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(delays.last == 5)
        let code = fixture.ask(
            "POST", "/v1/provision", "{\"code\": \"AAAA\", \"device_id\": \"d\"}")
        #expect(code.response.delaySeconds == 5)
        #expect(delay(fixture.deviceKey) == 0)
        fixture.clock.advance(seconds: 3_600)
        #expect(delay("gk_live_x") == 0)
    }
}
