import Foundation
import Geodesy
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

@Suite("Nearest fences")
struct NearestTests {
    @Test(
        "the answer is exactly that of measuring every fence",
        arguments: [
            (52.5, 13.4, 0.3), (0.0, 179.99, 0.5), (-17.8, -179.95, 2.0), (84.0, 20.0, 5.0),
            (60.0, -30.0, 60.0), (10.0, 100.0, 0.01),
        ])
    func exactness(latitude: Double, longitude: Double, spread: Double) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let fixture = try ServerFixture(
            limits: WorkspaceLimits(fences: 10_000, keys: 25, devices: nil, eventsPerMonth: nil))
        var shapes: [String: PreparedShape] = [:]
        var drafts: [FenceDraft] = []
        for index in 0..<300 {
            let wire = RandomFence.make(
                "f\(index)", around: latitude, longitude, spread: spread, &generator)
            let shape = try PreparedShape(wire.fence().shape)
            guard shape.defects.isEmpty else { continue }
            shapes[wire.id.text] = shape
            drafts.append(
                FenceDraft(
                    id: wire.id.text, shape: shape, expiresAt: nil, wire: FenceWireForm(wire)))
        }
        #expect(drafts.count > 250)
        _ = try fixture.store.putFences(
            drafts, replacingAll: true, in: fixture.workspace.id,
            now: fixture.clock.wallClock.time)
        for _ in 0..<12 {
            let position = try #require(
                Coordinate(
                    latitude: max(-90, min(90, latitude + generator.between(-spread, spread))),
                    longitude: RandomFence.wrapped(
                        longitude + generator.between(-spread, spread))))
            let pool = 1 + Int(generator.next() % 120)
            let expected = shapes.map { (max(0, -$1.signedDistance(to: position)), $0) }
                .sorted { $0 < $1 }
            let found = try fixture.store.nearest(
                position, pool: pool, for: FenceAudienceMember(deviceID: "d", userID: nil),
                in: fixture.workspace.id,
                now: fixture.clock.wallClock.time)
            #expect(found.fences.map(\.fence.id) == expected.prefix(pool).map(\.1))
            #expect(found.fences.map(\.distanceMeters) == expected.prefix(pool).map(\.0))
            #expect(
                found.nextDistanceMeters == (expected.count > pool ? expected[pool].0 : nil))
        }
    }

    @Test("a fence that has expired is not there")
    func expiry() throws {
        let fixture = try ServerFixture()
        let end = fixture.clock.wallClock.time.advanced(byMilliseconds: 10_000).rfc3339
        let body =
            circle(lat: 52, lon: 13, radius: 100).dropLast() + ", \"expires_at\": \"\(end)\"}"
        #expect(fixture.admin("PUT", "/v1/admin/fences/a", String(body)).status == 201)
        func count() -> Int? {
            fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13")["fences"]?.array?.count
        }
        fixture.clock.advance(seconds: 9)
        #expect(count() == 1)
        fixture.clock.advance(seconds: 1)
        #expect(count() == 0)
    }

    @Test("coverage radius and refresh distance follow from the first fence left out")
    func coverage() throws {
        let fixture = try ServerFixture()
        for index in 0..<5 {
            let body = circle(lat: 0, lon: Double(index) * 0.01, radius: 100)
            #expect(fixture.admin("PUT", "/v1/admin/fences/f\(index)", body).status == 201)
        }
        func ask(_ pool: Int) -> Answer {
            fixture.device("GET", "/v1/fences/nearest?lat=0&lon=0&limit=1&pool=\(pool)")
        }
        let all = ask(5)
        #expect(all["coverage_radius_m"] == .null && all["truncated"]?.bool == false)
        #expect(all["refresh_after_m"]?.number == 1_000)
        let one = ask(1)
        let radius = try #require(one["coverage_radius_m"]?.number)
        #expect(abs(radius - 1_013.19) < 0.1)
        #expect(one["refresh_after_m"]?.number == radius - 120)
        #expect(one["truncated"]?.bool == true && one["limit"]?.number == 1)
        // The first fence left out is 122 m away: less than 50 m is never asked for.
        let body = circle(lat: 0, lon: 0.002, radius: 100)
        #expect(fixture.admin("PUT", "/v1/admin/fences/near", body).status == 201)
        #expect(ask(1)["refresh_after_m"]?.number == 50)
    }

    @Test("never more fences than the pool, also where it is below the limit")
    func pool() throws {
        let fixture = try ServerFixture()
        for index in 0..<5 {
            let body = circle(lat: 0, lon: Double(index) * 0.01, radius: 100)
            #expect(fixture.admin("PUT", "/v1/admin/fences/f\(index)", body).status == 201)
        }
        let answer = fixture.device("GET", "/v1/fences/nearest?lat=0&lon=0&limit=18&pool=2")
        #expect(answer["fences"]?.array?.compactMap { $0["id"]?.string } == ["f0", "f1"])
        #expect(answer["limit"]?.number == 18 && answer["truncated"]?.bool == true)
        // The third one is at 0.02 degrees, its edge 100 m nearer.
        #expect(abs((answer["coverage_radius_m"]?.number ?? 0) - 2_126.39) < 0.1)
    }

    @Test("the query and the body ask the same")
    func alias() throws {
        let fixture = try ServerFixture()
        #expect(
            fixture.admin("PUT", "/v1/admin/fences/a", circle(lat: 52, lon: 13, radius: 100))
                .status == 201)
        let get = fixture.device("GET", "/v1/fences/nearest?lat=52.01&lon=13&limit=3&pool=7")
        let post = fixture.device(
            "POST", "/v1/fences/nearest",
            "{\"lat\": 52.01, \"lon\": 13, \"limit\": 3, \"pool\": 7, \"accuracy_m\": 5}")
        #expect(get["fences"] == post["fences"] && get["anchor"] == post["anchor"])
        #expect(get.response.headers["ETag"] == post.response.headers["ETag"])
    }

    @Test(
        "a question that makes no sense is refused with its place",
        arguments: [
            ("", "/lat"), ("lat=1", "/lon"), ("lat=91&lon=0", "/lat"), ("lat=0&lon=181", "/lon"),
            ("lat=nan&lon=0", "/lat"), ("lat=0&lon=0&pool=501", "/pool"),
            ("lat=0&lon=0&limit=0", "/limit"), ("lat=0&lon=0&accuracy_m=-1", "/accuracy_m"),
            ("lat=0&lon=0&pool=1e2", "/pool"),
        ])
    func nonsense(query: String, pointer: String) throws {
        let answer = try ServerFixture().device("GET", "/v1/fences/nearest?\(query)")
        #expect(answer.status == 422)
        #expect(answer["errors"]?.array?.first?["pointer"]?.string == pointer)
    }

    @Test("an unchanged set is 304 wherever the anchor is, a changed one is not")
    func entityTag() throws {
        let fixture = try ServerFixture()
        func put(_ radius: Double) -> Int {
            fixture.admin("PUT", "/v1/admin/fences/a", circle(lat: 52, lon: 13, radius: radius))
                .status
        }
        #expect(put(100) == 201)
        #expect(
            fixture.admin("PUT", "/v1/admin/fences/b", circle(lat: 52.1, lon: 13, radius: 200))
                .status == 201)
        let first = fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13")
        let tag = try #require(first.response.headers["ETag"])
        #expect(tag.hasPrefix("W/\""))
        func again(_ query: String = "lat=52.09&lon=13") -> Answer {
            fixture.device(
                "GET", "/v1/fences/nearest?\(query)", headers: ["If-None-Match": tag])
        }
        let same = again()
        #expect(same.status == 304 && same.response.body.isEmpty)
        let headers = same.response.headers
        #expect(headers["X-Refresh-After-M"] == "1000.0")
        #expect(headers["X-Refresh-After-S"] == "21600.0")
        #expect(headers["X-Coverage-Radius-M"] == nil)
        #expect(headers["X-Sync-Id"] != first["sync_id"]?.string)
        // Another pool leaves a fence out: another set.
        #expect(again("lat=52&lon=13&pool=1&limit=1").status == 200)
        #expect(put(100) == 200)
        #expect(again().status == 304)
        #expect(put(101) == 200)
        #expect(again().status == 200)
        // Back to the old content, but a newer version.
        #expect(put(100) == 200)
        #expect(again().status == 200)
    }

    @Test("a deleted fence made anew, and another configuration, are no 304")
    func entityTagOfOthers() throws {
        let fixture = try ServerFixture()
        let body = circle(lat: 52, lon: 13, radius: 100)
        #expect(fixture.admin("PUT", "/v1/admin/fences/a", body).status == 201)
        func ask(_ tag: String) -> Answer {
            fixture.device(
                "GET", "/v1/fences/nearest?lat=52&lon=13", headers: ["If-None-Match": tag])
        }
        let tag = try #require(ask("x").response.headers["ETag"])
        fixture.clock.advance(seconds: 1)
        #expect(fixture.admin("DELETE", "/v1/admin/fences/a").status == 204)
        #expect(
            fixture.admin("PUT", "/v1/admin/fences/a", circle(lat: 52, lon: 13, radius: 90)).status
                == 201)
        let second = ask(tag)
        #expect(second.status == 200)
        let newTag = try #require(second.response.headers["ETag"])
        #expect(ask(newTag).status == 304)
        #expect(fixture.admin("PUT", "/v1/admin/config", "{\"fence_limit\": 5}").status == 200)
        let third = ask(newTag)
        #expect(third.status == 200 && third["limit"]?.number == 5)
    }

    @Test("an answer is cut to its size, never below one fence, and the radius with it")
    func size() throws {
        let fences = (0..<100).map { index in
            NearestFences.Ranked(
                fence: StoredFence(
                    id: "f\(index)", version: 1,
                    document: Array("{\"x\":\"\(String(repeating: "y", count: 10_000))\"}".utf8),
                    tag: Int64(index)), distanceMeters: Double(index))
        }
        let nearest = NearestFences(fences: fences, nextDistanceMeters: 1_000)
        let cut = NearestSelection(nearest, byteLimit: 524_288)
        #expect(cut.tags == Array(0..<51))
        #expect(cut.coverageRadiusMeters == 51)
        #expect(cut.array.count + 4_096 <= 524_288)
        #expect(try Self.count(cut) == 51)
        let least = NearestSelection(nearest, byteLimit: 1)
        #expect(least.tags == [0] && least.coverageRadiusMeters == 1)
        #expect(try Self.count(least) == 1)
        let whole = NearestSelection(nearest, byteLimit: 10_000_000)
        #expect(whole.tags.count == 100 && whole.coverageRadiusMeters == 1_000)
        let none = NearestSelection(
            NearestFences(fences: [], nextDistanceMeters: nil), byteLimit: 1)
        #expect(none.tags.isEmpty && none.array == Array("[]".utf8))
    }

    private static func count(_ selection: NearestSelection) throws -> Int? {
        try WireCoding.decode(JSONValue.self, from: selection.array).array?.count
    }

    @Test("the kill switch takes all fences away, and gives them back with another revision")
    func killSwitch() throws {
        let fixture = try ServerFixture()
        #expect(
            fixture.admin("PUT", "/v1/admin/fences/a", circle(lat: 52, lon: 13, radius: 100))
                .status == 201)
        func ask() -> Answer {
            fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13&pool=1&limit=1")
        }
        let before = ask()
        #expect(before["fences"]?.array?.count == 1)
        #expect(fixture.admin("PUT", "/v1/admin/config", "{\"fence_limit\": 0}").status == 200)
        let off = ask()
        #expect(off["fences"] == .array([]) && off["coverage_radius_m"] == .null)
        #expect(off["config", "fence_limit"]?.number == 0 && off["limit"]?.number == 0)
        #expect(fixture.admin("PUT", "/v1/admin/config", "{}").status == 200)
        let on = ask()
        #expect(on["fences"]?.array?.count == 1)
        let revisions = [before, off, on].compactMap { $0["config", "revision"]?.number }
        #expect(Set(revisions).count == 3)
    }

    @Test("a trial that is over gets no fences and the kill switch")
    func trialOver() throws {
        let fixture = try ServerFixture(plan: .trial)
        #expect(
            fixture.admin("PUT", "/v1/admin/fences/a", circle(lat: 52, lon: 13, radius: 100))
                .status == 201)
        fixture.clock.advance(seconds: 30 * 86_400)
        let answer = fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13")
        #expect(answer["fences"]?.array?.isEmpty == true && answer["limit"]?.number == 0)
        #expect(answer["config", "fence_limit"]?.number == 0)
        // Nothing lies beyond the answer: a device that is told to stop has no coverage to lose.
        #expect(answer["coverage_radius_m"] == .null && answer["truncated"]?.bool == false)
        #expect(answer["refresh_after_m"]?.number == 1_000)
        let waiting = fixture.upload([EventText("e-1").json])
        #expect(waiting.outcomes == ["deferred"])
        // Who pays is served again, and the devices hear of it with their next upload.
        try fixture.store.setPlan(
            .production, limits: .defaults(of: .production), of: fixture.workspace.id,
            now: fixture.clock.wallClock.time)
        let upload = fixture.upload([EventText("e-1").json])
        #expect(upload.outcomes == ["accepted"])
        let before = try #require(answer["config", "revision"]?.number)
        #expect(waiting["config_revision"]?.number == before)
        #expect(upload["config_revision"]?.number == before + 1)
        let again = fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13")
        #expect(again["fences"]?.array?.count == 1)
        #expect(again["config", "fence_limit"]?.number == 18)
    }
}

enum RandomFence {
    /// A circle, a star, or two stars; across the antimeridian where the place lies there.
    static func make(
        _ id: String, around latitude: Double, _ longitude: Double, spread: Double,
        _ generator: inout SeededGenerator
    ) -> WireFence {
        let lat = max(-88, min(88, latitude + generator.between(-spread, spread)))
        let lon = longitude + generator.between(-spread, spread)
        let size = min(0.5, spread) * generator.between(0.002, 0.2)
        switch generator.next() % 3 {
        case 0:
            var fence = WireFence(id: id, type: .circle)
            fence.center = Coordinate(latitude: lat, longitude: wrapped(lon))
                .map(WireCoordinate.init)
            fence.radiusMeters = max(10, min(50_000, size * 111_000))
            return fence
        case 1:
            var fence = WireFence(id: id, type: .polygon)
            fence.geometry = .polygon([star(lat, lon, size, &generator)])
            return fence
        default:
            var fence = WireFence(id: id, type: .multipolygon)
            fence.geometry = .multiPolygon([
                [star(lat, lon, size, &generator)],
                [star(lat, lon + 3 * size, size, &generator)],
            ])
            return fence
        }
    }

    static func wrapped(_ longitude: Double) -> Double {
        longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    }

    private static func star(
        _ lat: Double, _ lon: Double, _ size: Double, _ generator: inout SeededGenerator
    ) -> [[Double]] {
        let count = 3 + Int(generator.next() % 8)
        var ring = (0..<count).map { index in
            let angle = 2 * Double.pi * Double(index) / Double(count)
            let reach = size * generator.between(0.4, 1)
            return [wrapped(lon + reach * cos(angle)), lat + reach * sin(angle)]
        }
        ring.append(ring[0])
        return ring
    }
}

extension SeededGenerator {
    /// Evenly distributed, the upper end left out.
    fileprivate mutating func between(_ lower: Double, _ upper: Double) -> Double {
        lower + unit() * (upper - lower)
    }
}
