import Testing
import WireFormat

@testable import ReferenceServer

@Suite("What is misspelled does not look as if it had been set")
struct MisspellingTests {
    @Test(
        "names of the configuration, also below its first level",
        arguments: [
            ("{\"fence_limt\": 3}", "/fence_limt"),
            ("{\"upload\": {\"max_bach\": 10}}", "/upload/max_bach"),
            ("{\"accuracy\": {\"arive_max_m\": 10}}", "/accuracy/arive_max_m"),
            (
                "{\"quiet_hours\": {\"start\": \"22:00\", \"end\": \"06:00\", \"day\": []}}",
                "/quiet_hours/day"
            ),
        ])
    func configuration(body: String, pointer: String) throws {
        let answer = try ServerFixture().admin("PUT", "/v1/admin/config", body)
        #expect(answer.status == 422 && answer.code == "unknown_name", "\(answer.text)")
        #expect(answer["errors"]?.array?.first?["pointer"]?.string == pointer)
    }

    @Test(
        "names of a fence",
        arguments: [("POST", "/v1/admin/fences"), ("PUT", "/v1/admin/fences/a")])
    func fence(method: String, path: String) throws {
        let fixture = try ServerFixture()
        func body(_ name: String) -> String {
            """
            {"type": "circle", "center": {"lat": 52, "lon": 13}, "radius_m": 150, "\(name)": 300}
            """
        }
        let answer = fixture.admin(method, path, body("dwel_s"))
        #expect(answer.status == 422 && answer.code == "unknown_name", "\(answer.text)")
        #expect(answer["errors"]?.array?.first?["pointer"]?.string == "/dwel_s")
        #expect(fixture.admin(method, path, body("dwell_s")).status == 201)
        // What was read can be written.
        let id = fixture.admin("GET", "/v1/admin/fences")["fences"]?.array?.first?["id"]?.string
        let read = fixture.admin("GET", "/v1/admin/fences/\(id ?? "")").text
        #expect(fixture.admin("PUT", "/v1/admin/fences/\(id ?? "")", read).status == 200)
    }

    @Test(
        "names of a fence's windows, also in GeoJSON",
        arguments: [
            (
                "\"active_windows\": [{\"day\": [\"mon\"], \"all_day\": true}]",
                "/active_windows/0/day"
            ),
            (
                "\"quiet_hours\": {\"start\": \"22:00\", \"end\": \"06:00\", \"a/b\": 1}",
                "/quiet_hours/a~1b"
            ),
        ])
    func windows(member: String, pointer: String) throws {
        let fixture = try ServerFixture()
        let one = fixture.admin(
            "PUT", "/v1/admin/fences/a",
            """
            {"type": "circle", "center": {"lat": 52, "lon": 13}, "radius_m": 150, \(member)}
            """)
        #expect(one.status == 422 && one.code == "unknown_name", "\(one.text)")
        #expect(one["errors"]?.array?.first?["pointer"]?.string == pointer)
        let many = fixture.admin(
            "PUT", "/v1/admin/fences.geojson",
            """
            {"type": "FeatureCollection", "features": [{"type": "Feature", "id": "a",
             "properties": {"radius_m": 150, \(member)},
             "geometry": {"type": "Point", "coordinates": [13, 52]}}]}
            """)
        #expect(many.status == 422)
        #expect(
            many["errors"]?.array?.first?["pointer"]?.string == "/features/0/properties" + pointer)
    }

    @Test(
        "a fence that will never report says so",
        arguments: [
            ("\"transitions\": []", "no_transitions"),
            ("\"expires_at\": \"2020-01-01T00:00:00Z\"", "expired"),
        ])
    func silentFence(member: String, code: String) throws {
        let answer = try ServerFixture().admin(
            "POST", "/v1/admin/fences",
            """
            {"type": "circle", "center": {"lat": 52, "lon": 13}, "radius_m": 150, \(member)}
            """)
        #expect(answer.status == 201)
        let codes = (answer["warnings"]?.array ?? []).compactMap { $0["code"]?.string }
        #expect(codes == [code])
    }

    @Test(
        "a target that is not UTF-8 is 400",
        arguments: [
            ("/v1/admin/fences/%FF", 400), ("/v1/admin/events?device_id=%C3%28", 400),
            ("/v1/admin/events?device_id=%C3%A9", 200), ("/v1/admin/fences/%", 404),
        ])
    func target(target: String, status: Int) throws {
        #expect(try ServerFixture().admin("GET", target).status == status)
    }

    @Test("an administrator's key has no device")
    func adminKey() throws {
        let fixture = try ServerFixture()
        let answer = fixture.admin(
            "POST", "/v1/admin/keys", "{\"scope\": \"admin\", \"device_id\": \"van-7\"}")
        #expect(answer.status == 422)
        #expect(answer["errors"]?.array?.first?["pointer"]?.string == "/device_id")
    }
}
