import Compression
import Testing
import WebServer
import WireFormat

@testable import ReferenceServer

@Suite("The size of a fence")
struct FenceSizeTests {
    @Test("what is too large for the route is told the way, and what was exported can take it")
    func largeCollection() throws {
        let limits = WorkspaceLimits(fences: 10_000, keys: 25, devices: nil, eventsPerMonth: nil)
        let fixture = try ServerFixture(limits: limits)
        let name = String(repeating: "n", count: 150)
        let features = (0..<2_500).map { index in
            """
            {"type": "Feature", "id": "f\(index)",
             "properties": {"radius_m": 150, "name": "\(name)", "metadata": {"note": "\(name)"}},
             "geometry": {"type": "Point", "coordinates": [\(Double(index) / 20), 52]}}
            """
        }
        for part in [features[..<1_250], features[1_250...]] {
            let answer = fixture.admin(
                "POST", "/v1/admin/fences.geojson",
                """
                {"type": "FeatureCollection", "features": [\(part.joined(separator: ","))]}
                """)
            #expect(answer.status == 200, "\(answer.text.prefix(300))")
        }
        let exported = fixture.admin("GET", "/v1/admin/fences.geojson").response.body
        #expect(exported.count > Call.bodyLimit)
        let packed = Request(
            method: "PUT", target: "/v1/admin/fences.geojson",
            headers: [
                "Authorization": "Bearer \(fixture.adminKey)",
                "Content-Type": "application/geo+json", "Content-Encoding": "gzip",
            ], body: try Gzip.compress(exported), peer: "192.0.2.1")
        let plain = fixture.server.refuse(.bodyTooLarge(limit: Call.bodyLimit), packed)
        for answer in [Answer(fixture.server.answer(packed)), Answer(plain)] {
            #expect(answer.status == 413 && answer.code == "body_too_large")
            let detail = answer["detail"]?.string ?? ""
            #expect(detail.contains("geofence-server import"), "\(detail)")
        }
        let report = try FenceImport.run(
            exported, replacingAll: true, into: fixture.workspace.id, of: fixture.store,
            now: fixture.clock.wallClock.time)
        #expect(report.changes.unchanged.count == 2_500 && report.changes.deleted.isEmpty)
    }

    private func fence(_ id: String, metadata: Int) -> String {
        // {"k":"..."}
        """
        {"id": "\(id)", "type": "circle", "radius_m": 150, "center": {"lat": 52, "lon": 13},
         "metadata": {"k": "\(String(repeating: "m", count: metadata - 8))"}}
        """
    }

    @Test("metadata beyond 16 KiB is refused with its place, and 18 of the largest fit an answer")
    func metadata() throws {
        let fixture = try ServerFixture()
        let tooLarge = fixture.admin(
            "POST", "/v1/admin/fences", fence("a", metadata: FenceLimits.metadataBytes + 1))
        #expect(tooLarge.status == 422)
        #expect(tooLarge["errors"]?.array?.first?["pointer"]?.string == "/metadata")
        for number in 1...18 {
            let answer = fixture.admin(
                "POST", "/v1/admin/fences",
                fence("f-\(number)", metadata: FenceLimits.metadataBytes))
            #expect(answer.status == 201)
        }
        let nearest = fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13")
        #expect(nearest["fences"]?.array?.count == 18)
        #expect(nearest.response.body.count <= NearestRoute.answerLimit)
    }

    @Test("a fence whose parts are within their limits, but not together, is refused")
    func document() throws {
        let fixture = try ServerFixture()
        let name = String(repeating: "m", count: 120)
        let ids = (0..<1_000).map { "\"\($0 + 1_000)\(name)\"" }.joined(separator: ",")
        func fence(_ audience: String) -> String {
            """
            {"id": "a", "type": "circle", "radius_m": 150, "center": {"lat": 52, "lon": 13},
             "audience": {\(audience)}}
            """
        }
        let users = "\"user_ids\": [\(ids)]"
        let fits = fixture.admin("PUT", "/v1/admin/fences/a", fence(users))
        #expect(fits.status == 201, "\(fits.text.prefix(300))")
        let euros = String(repeating: "\u{20AC}", count: 120)
        let more = (0..<1_000).map { "\"\($0 + 1_000)\(euros)\"" }.joined(separator: ",")
        let beyond = fixture.admin(
            "PUT", "/v1/admin/fences/a", fence(users + ", \"tags\": [\(more)]"))
        #expect(
            beyond.status == 422 && beyond.code == "fence_too_large",
            "\(beyond.text.prefix(300))")
    }
}
