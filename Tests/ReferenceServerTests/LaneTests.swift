import SQLite
import TestSupport
import Testing
import WebServer
import WireFormat

@testable import ReferenceServer

@Suite("Who writes does not hold up who reads")
struct LaneTests {
    @Test(
        "the route says in which lane a request waits",
        arguments: [
            ("GET", "/v1/healthz", WorkLane.reads), ("HEAD", "/v1/healthz", .reads),
            ("GET", "/metrics", .reads), ("GET", "/v1/readyz", .writes),
            ("GET", "/v1/fences/nearest?lat=1&lon=2", .reads),
            ("POST", "/v1/fences/nearest", .reads), ("GET", "/v1/config", .reads),
            ("GET", "/v1/fences?assigned=me", .reads), ("POST", "/v1/events/batch", .writes),
            ("POST", "/v1/devices/van-7/heartbeat", .writes), ("POST", "/v1/provision", .writes),
            ("GET", "/v1/admin/events", .reads), ("PUT", "/v1/admin/fences.geojson", .writes),
            ("DELETE", "/v1/admin/devices/van-7", .writes), ("POST", "/nowhere", .reads),
            ("DELETE", "/v1/healthz", .reads),
        ])
    func lane(method: String, target: String, expected: WorkLane) throws {
        let fixture = try ServerFixture()
        #expect(
            fixture.server.lane(of: Request(method: method, target: target)) == expected)
    }

    @Test("everything that reads is answered while another process holds the database")
    func heldDatabase() throws {
        let fixture = try ServerFixture()
        _ = fixture.device("POST", "/v1/devices/van-7/heartbeat", "{}")
        let other = try Connection(path: fixture.store.path)
        try other.execute("BEGIN IMMEDIATE")
        for route in ReferenceServer.allRoutes {
            for (method, endpoint) in route.endpoints {
                let target =
                    route.path.replacing("{id}", with: "van-7") + "?lat=1&lon=2&assigned=me"
                let request = Request(method: method, target: target)
                guard fixture.server.lane(of: request) == .reads else { continue }
                let began = ContinuousClock.now
                let body = method == "POST" ? "{\"lat\": 1, \"lon\": 2}" : nil
                let answer =
                    endpoint.access == .admin
                    ? fixture.admin(method, target, body) : fixture.device(method, target, body)
                // One that waits for the lock gives up after 5 s, as busy.
                #expect(answer.status < 500, "\(method) \(target): \(answer.text)")
                #expect(ContinuousClock.now - began < .seconds(4), "\(method) \(target)")
            }
        }
        try other.execute("ROLLBACK")
    }
}
