import Foundation
import Testing
import WireFormat

@testable import ReferenceServer

@Suite("Two workspaces")
struct IsolationTests {
    /// What stands for a parameter of a path: things of the first workspace.
    private static let values = [
        "/v1/admin/fences/{id}": "secret-fence", "/v1/admin/campaigns/{id}": "secret-campaign",
        "/v1/admin/devices/{id}": "secret-device", "/v1/admin/devices/{id}/export": "secret-device",
        "/v1/devices/{id}/heartbeat": "secret-device", "/v1/admin/keys/{id}": "1",
        "/v1/admin/events/{id}": "secret-event", "/v1/admin/visits/{id}": "secret-visit",
    ]

    private func filled() throws -> ServerFixture {
        let fixture = try ServerFixture()
        let fence =
            circle(lat: 52, lon: 13, radius: 200).dropLast()
            + ", \"name\": \"secret\", \"audience\": {\"device_ids\": [\"secret-device\"]}}"
        let made = [
            fixture.admin("PUT", "/v1/admin/fences/secret-fence", String(fence)),
            fixture.admin(
                "PUT", "/v1/admin/campaigns/secret-campaign",
                "{\"trigger\": \"enter\", \"title\": \"secret\", \"fence_ids\": [\"secret-fence\"]}"
            ),
            fixture.admin("PUT", "/v1/admin/config", "{\"refresh_after_m\": 777.25}"),
            fixture.upload([EventText("secret-event").json], device: "secret-device"),
            fixture.upload(
                [visit().json], batch: "secret-batch", device: "secret-device"),
        ]
        for answer in made { #expect(answer.status < 300, "\(answer.text)") }
        return fixture
    }

    private func visit() -> EventText {
        var event = EventText.numbered(2, "visit_started")
        event.id = "secret-visit-event"
        event.visit = "secret-visit"
        return event
    }

    /// Everything that the first workspace has, in the words of its administrator.
    private func everything(_ fixture: ServerFixture) -> [String] {
        [
            "fences", "campaigns", "config", "keys", "devices", "events", "visits", "usage",
            "fences.geojson",
        ].map { fixture.admin("GET", "/v1/admin/\($0)").text }
    }

    @Test("no route of one shows or changes anything of the other")
    func everyRoute() throws {
        let fixture = try filled()
        let other = try fixture.anotherWorkspace()
        let before = everything(fixture)
        #expect(before.allSatisfy { !$0.isEmpty })
        #expect(before.filter { $0.contains("secret") }.count >= 6)
        let bodies = [
            "{}", "{\"lat\": 52, \"lon\": 13}", circle(lat: 52, lon: 13, radius: 100),
            "{\"type\": \"FeatureCollection\", \"features\": []}", "{\"tags\": [\"x\"]}",
            "{\"trigger\": \"enter\", \"title\": \"x\", \"fence_ids\": [\"secret-fence\"]}",
            "{\"scope\": \"live\"}",
        ]
        var walked = 0
        for route in ReferenceServer.allRoutes {
            var path = route.path
            if let value = Self.values[path] {
                path = path.replacingOccurrences(of: "{id}", with: value)
            }
            #expect(!path.contains("{"), "\(path) needs a value here")
            for (method, endpoint) in route.endpoints where endpoint.access != .open {
                for body in method == "GET" || method == "DELETE"
                    ? [nil] : bodies.map(Optional.some)
                {
                    let query =
                        method == "GET" ? "?lat=52&lon=13&assigned=me&fence_id=secret-fence" : ""
                    let answer =
                        endpoint.access == .admin
                        ? fixture.admin(method, path + query, body, key: other.adminKey)
                        : fixture.device(
                            method, path + query, body, key: other.deviceKey, id: "secret-device")
                    walked += 1
                    // Where the request names a thing, the refusal may say its name again.
                    guard answer.status < 300 else { continue }
                    for word in [
                        "secret-event", "secret-visit", "\"secret\"", "777.25", "secret-batch",
                    ] {
                        #expect(!answer.text.contains(word), "\(method) \(path): \(answer.text)")
                    }
                }
            }
        }
        #expect(walked > 80)
        #expect(everything(fixture) == before)
    }

    @Test("a device cannot pose as another workspace's by a batch, a code or an id")
    func sameNames() throws {
        let fixture = try filled()
        let other = try fixture.anotherWorkspace()
        let before = everything(fixture)
        let answer = fixture.upload(
            [EventText("secret-event").json, visit().json], device: "secret-device",
            key: other.deviceKey)
        #expect(answer.outcomes == ["accepted", "accepted"])
        #expect(
            fixture.admin("DELETE", "/v1/admin/devices/secret-device", key: other.adminKey).status
                == 204)
        #expect(everything(fixture) == before)
    }
}
