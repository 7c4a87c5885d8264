import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

@Suite("Whom fences are for")
struct AudienceTests {
    private func put(_ id: String, _ audience: String?, on fixture: ServerFixture) -> Answer {
        let extra = audience.map { ", \"audience\": \($0), \"name\": \"N \(id)\"" } ?? ""
        return fixture.admin(
            "PUT", "/v1/admin/fences/\(id)",
            String(circle(lat: 52, lon: 13, radius: 200).dropLast()) + extra + "}")
    }

    private func fixture() throws -> ServerFixture {
        let fixture = try ServerFixture()
        let rows: [(String, String?)] = [
            ("all", nil), ("ann", "{\"user_ids\": [\"ann\"]}"),
            ("van", "{\"device_ids\": [\"van-7\"]}"), ("red", "{\"tags\": [\"red\"]}"),
            ("any", "{\"user_ids\": [\"ann\", \"bob\"], \"tags\": [\"red\"]}"),
        ]
        for (id, audience) in rows {
            #expect(put(id, audience, on: fixture).status == 201)
        }
        return fixture
    }

    private func near(_ fixture: ServerFixture, _ device: String, _ user: String?) -> [String] {
        let headers = user.map { ["X-User-Id": $0] } ?? [:]
        let answer = fixture.device(
            "GET", "/v1/fences/nearest?lat=52&lon=13", id: device, headers: headers)
        return ids(answer)
    }

    private func assigned(_ fixture: ServerFixture, _ device: String, _ user: String?) -> [String] {
        let headers = user.map { ["X-User-Id": $0] } ?? [:]
        return ids(
            fixture.device("GET", "/v1/fences?assigned=me", id: device, headers: headers))
    }

    private func ids(_ answer: Answer) -> [String] {
        (answer["fences"]?.array ?? []).compactMap { $0["id"]?.string }
    }

    @Test("a device gets the fences of everybody and those that name its member, itself or a tag")
    func members() throws {
        let fixture = try fixture()
        #expect(near(fixture, "van-8", nil) == ["all"])
        #expect(near(fixture, "van-7", nil) == ["all", "van"])
        #expect(near(fixture, "van-8", "ann") == ["all", "ann", "any"])
        #expect(near(fixture, "van-7", "bob") == ["all", "any", "van"])
        // Ids of one kind are none of another.
        #expect(near(fixture, "ann", "van-7") == ["all"])
        #expect(near(fixture, "red", "red") == ["all"])
        #expect(assigned(fixture, "van-7", "ann") == ["ann", "any", "van"])
        #expect(assigned(fixture, "van-8", nil).isEmpty)
    }

    @Test(
        "ids may be numbers, as everywhere",
        arguments: [
            ("42", "42"), ("-7", "-7"), ("9007199254740991", "9007199254740991"), ("1.5", nil),
            ("9007199254740993", nil), ("-9223372036854775808", nil), ("1e300", nil), ("true", nil),
        ] as [(String, String?)])
    func numbers(number: String, id: String?) throws {
        let fixture = try ServerFixture()
        let answer = put("n", "{\"user_ids\": [\(number)]}", on: fixture)
        #expect(answer.status == (id == nil ? 422 : 201), "\(answer.text)")
        #expect(near(fixture, "van-7", id ?? "x") == (id == nil ? [] : ["n"]))
        #expect(near(fixture, "van-7", "y") == [])
    }

    @Test("tags come and go, and agents learn of it by the revision")
    func tags() throws {
        let fixture = try fixture()
        let path = "/v1/admin/devices/van-8"
        #expect(fixture.admin("PUT", path, "{\"tags\": [\"red\"]}").status == 404)
        #expect(
            fixture.device("POST", "/v1/devices/van-8/heartbeat", "{}", id: "van-8").status == 200)
        func revision() -> Double? { fixture.admin("GET", "/v1/admin/config")["revision"]?.number }
        let before = revision()
        let tagged = fixture.admin("PUT", path, "{\"tags\": [\"red\", \"blue\", \"red\"]}")
        #expect(tagged["tags"] == .array([.string("blue"), .string("red")]))
        #expect(near(fixture, "van-8", nil) == ["all", "any", "red"])
        #expect(assigned(fixture, "van-8", nil) == ["any", "red"])
        let after = revision()
        #expect(before != after)
        #expect(fixture.admin("PUT", path, "{\"tags\": [\"blue\", \"red\"]}").status == 200)
        #expect(revision() == after)
        let key = try fixture.anotherWorkspace().adminKey
        #expect(fixture.admin("PUT", path, "{\"tags\": []}", key: key).status == 404)
        #expect(fixture.admin("PUT", path, "{\"tags\": []}").status == 200)
        #expect(near(fixture, "van-8", nil) == ["all"])
    }

    @Test("the radius knows nothing of fences that are for others")
    func coverage() throws {
        let fixture = try fixture()
        let answer = fixture.device(
            "GET", "/v1/fences/nearest?lat=52&lon=13&pool=1&limit=1", id: "x")
        #expect(ids(answer) == ["all"] && answer["coverage_radius_m"] == .null)
    }

    @Test("an audience changes with its fence")
    func change() throws {
        let fixture = try fixture()
        #expect(put("all", "{\"user_ids\": [\"bob\"]}", on: fixture).status == 200)
        #expect(near(fixture, "van-8", nil).isEmpty)
        #expect(put("all", nil, on: fixture).status == 200)
        #expect(near(fixture, "van-8", nil) == ["all"])
    }

    @Test(
        "an audience that is none is refused where it stands",
        arguments: [
            ("{}", "/audience"), ("[]", "/audience"), ("{\"users\": [\"a\"]}", "/audience/users"),
            ("{\"tags\": []}", "/audience/tags"), ("{\"tags\": [7]}", "/audience/tags/0"),
            ("{\"user_ids\": [\"a\", \"\"]}", "/audience/user_ids/1"),
            ("{\"device_ids\": null}", "/audience/device_ids"),
        ])
    func defects(audience: String, pointer: String) throws {
        let answer = put("a", audience, on: try ServerFixture())
        #expect(answer.status == 422)
        #expect(answer["errors"]?.array?.first?["pointer"]?.string == pointer, "\(answer.text)")
    }

    @Test("assigned fences have pages, names, and end with a trial")
    func assignedPages() throws {
        let fixture = try ServerFixture(plan: .trial)
        let key = try ServerFixture.issue(
            .trial, fixture.workspace.id, fixture.store, fixture.clock.wallClock.time)
        for id in ["c", "a", "b"] {
            #expect(put(id, "{\"device_ids\": [\"van-7\"]}", on: fixture).status == 201)
        }
        let first = fixture.device("GET", "/v1/fences?assigned=me&limit=2", key: key)
        #expect(ids(first) == ["a", "b"] && first["next"]?.string == "b")
        #expect(first["fences"]?.array?.first?["name"]?.string == "N a")
        let rest = fixture.device("GET", "/v1/fences?assigned=me&limit=2&cursor=b", key: key)
        #expect(ids(rest) == ["c"] && rest["next"] == .null)
        #expect(fixture.device("GET", "/v1/fences", key: key).status == 422)
        #expect(fixture.device("GET", "/v1/fences?assigned=you", key: key).status == 422)
        fixture.clock.advance(seconds: 31 * 86_400)
        #expect(ids(fixture.device("GET", "/v1/fences?assigned=me", key: key)).isEmpty)
    }
}
