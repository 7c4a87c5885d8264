import Foundation
import Testing
import WireFormat

@testable import ReferenceServer

@Suite("Administration of campaigns")
struct CampaignAdministrationTests {
    private func fixture() throws -> ServerFixture {
        let fixture = try ServerFixture()
        for id in ["a", "b"] {
            let answer = fixture.admin(
                "PUT", "/v1/admin/fences/\(id)", circle(lat: 52, lon: 13, radius: 200))
            #expect(answer.status == 201)
        }
        return fixture
    }

    private func campaign(_ members: String = "") -> String {
        "{\"trigger\": \"enter\", \"title\": \"Hello\"\(members.isEmpty ? "" : ", \(members)")}"
    }

    private let path = "/v1/admin/campaigns/c"

    @Test("a campaign is made, changed, read, listed and deleted")
    func lifecycle() throws {
        let fixture = try fixture()
        let whole = campaign(
            """
            "body": "World", "data": {"url": "https://x", "n": 1}, "cooldown_hours": 12.5,
            "valid_from": "2026-01-01T00:00:00Z", "valid_until": "2026-12-31T00:00:00+01:00",
            "max_per_day": 2, "fence_ids": ["b", "a"]
            """)
        let made = fixture.admin("PUT", path, whole)
        #expect(made.status == 201, "\(made.text)")
        #expect(made["campaign", "version"]?.number == 1)
        #expect(made["campaign", "fence_ids"] == .array([.string("a"), .string("b")]))
        #expect(made["campaign", "valid_until"]?.string == "2026-12-30T23:00:00.000Z")
        #expect(made["warnings"] == .array([]))
        #expect(fixture.admin("PUT", path, whole).status == 200)
        let read = fixture.admin("GET", path)
        #expect(read["version"]?.number == 1 && read["data", "n"]?.number == 1)
        // What was read can be written, and changes nothing.
        #expect(fixture.admin("PUT", path, read.text)["campaign", "version"]?.number == 1)
        let changed = fixture.admin("PUT", path, campaign())
        #expect(changed["campaign", "version"]?.number == 2)
        #expect(changed["campaign", "body"] == nil, "what is left out is gone")
        #expect(changed["campaign", "fence_ids"]?.array?.count == 2, "unless it is who carries it")
        let posted = fixture.admin("POST", "/v1/admin/campaigns", campaign())
        #expect(posted.status == 201)
        let id = try #require(posted["campaign", "id"]?.string)
        #expect(
            fixture.admin("POST", "/v1/admin/campaigns", campaign("\"id\": \"c\"")).status == 409)
        let page = fixture.admin("GET", "/v1/admin/campaigns?limit=1")
        #expect(page["campaigns"]?.array?.count == 1)
        let next = try #require(page["next"]?.string)
        let rest = fixture.admin("GET", "/v1/admin/campaigns?cursor=\(next)")
        #expect(
            rest["campaigns"]?.array?.compactMap { $0["id"]?.string } == [id].filter { $0 > next })
        #expect(fixture.admin("DELETE", path).status == 204)
        #expect(fixture.admin("DELETE", path).status == 404)
        #expect(fixture.admin("GET", path).status == 404)
    }

    @Test(
        "what is wrong is refused where it stands, and nothing is written",
        arguments: [
            ("{}", "/trigger"), ("[]", ""), ("{\"title\": \"x\"}", "/trigger"),
            ("{\"title\": \"x\", \"trigger\": \"visit\"}", "/trigger"),
            ("{\"title\": \"\", \"trigger\": \"enter\"}", "/title"),
            ("{\"title\": 5, \"trigger\": \"enter\"}", "/title"),
            ("{\"title\": \"x\", \"trigger\": \"enter\", \"titel\": 1}", "/titel"),
            ("{\"title\": \"x\", \"trigger\": \"enter\", \"id\": \"d\"}", "/id"),
            ("{\"title\": \"x\", \"trigger\": \"enter\", \"data\": []}", "/data"),
            (
                "{\"title\": \"x\", \"trigger\": \"enter\", \"cooldown_hours\": -1}",
                "/cooldown_hours"
            ),
            ("{\"title\": \"x\", \"trigger\": \"enter\", \"max_per_day\": 0}", "/max_per_day"),
            ("{\"title\": \"x\", \"trigger\": \"enter\", \"max_per_day\": 1.5}", "/max_per_day"),
            ("{\"title\": \"x\", \"trigger\": \"enter\", \"valid_from\": \"now\"}", "/valid_from"),
            (
                "{\"title\": \"x\", \"trigger\": \"enter\", \"valid_from\": \"2026-01-02T00:00:00Z\","
                    + "\"valid_until\": \"2026-01-02T00:00:00Z\"}", "/valid_until"
            ),
            ("{\"title\": \"x\", \"trigger\": \"enter\", \"fence_ids\": \"a\"}", "/fence_ids"),
            (
                "{\"title\": \"x\", \"trigger\": \"enter\", \"fence_ids\": [\"a\", \"z\"]}",
                "/fence_ids/1"
            ),
        ])
    func defects(body: String, pointer: String) throws {
        let fixture = try fixture()
        let answer = fixture.admin("PUT", path, body)
        #expect(answer.status == 422, "\(answer.text)")
        #expect(answer["errors"]?.array?.first?["pointer"]?.string == pointer, "\(answer.text)")
        #expect(fixture.admin("GET", path).status == 404)
        #expect(fixture.admin("GET", "/v1/config").status == 403)
    }

    @Test(
        "lengths count code points, to the last one allowed",
        arguments: [(120, 500, 201), (121, 0, 422), (1, 501, 422)])
    func lengths(title: Int, body: Int, status: Int) throws {
        // A letter and an accent that belongs to it are two.
        func text(_ count: Int) -> String {
            String(String.UnicodeScalarView((0..<count).map { $0 % 2 == 0 ? "e" : "\u{301}" }))
        }
        let answer = try fixture().admin(
            "PUT", path,
            "{\"trigger\": \"exit\", \"title\": \"\(text(title))\", \"body\": \"\(text(body))\"}")
        #expect(answer.status == status, "\(answer.text)")
    }

    @Test("devices get it with the fence, and learn of each change by revision and entity tag")
    func followers() throws {
        let fixture = try fixture()
        func near() -> (campaigns: [JSONValue], tag: String, version: Double, revision: Double) {
            let answer = fixture.device("GET", "/v1/fences/nearest?lat=52&lon=13")
            let fence = answer["fences"]?.array?.first { $0["id"]?.string == "a" }
            return (
                fence?["campaigns"]?.array ?? [], answer.response.headers["ETag"] ?? "",
                fence?["version"]?.number ?? 0, answer["config", "revision"]?.number ?? -1
            )
        }
        let before = near()
        #expect(before.campaigns.isEmpty)
        var seen: Set<String> = [before.tag]
        var revision = before.revision
        let steps: [(method: String, body: String?, campaigns: Int)] = [
            ("PUT", campaign("\"fence_ids\": [\"a\"]"), 1),
            ("PUT", campaign("\"body\": \"new\""), 1),
            ("PUT", campaign("\"fence_ids\": [\"b\"]"), 0),
            ("PUT", campaign("\"fence_ids\": [\"a\", \"b\"]"), 1),
            ("DELETE", nil, 0),
        ]
        for (index, step) in steps.enumerated() {
            #expect(fixture.admin(step.method, path, step.body).status < 300)
            let now = near()
            #expect(now.campaigns.count == step.campaigns, "step \(index)")
            #expect(now.version == 1, "the fence itself is as it was")
            #expect(now.revision > revision, "step \(index)")
            revision = now.revision
            if index < 4 { #expect(seen.insert(now.tag).inserted, "step \(index)") }
            #expect(now.campaigns.first?["fence_ids"] == nil)
        }
        // A campaign that nobody carries is nobody's news.
        #expect(fixture.admin("PUT", path, campaign()).status == 201)
        #expect(near().revision == revision)
    }

    @Test("fences bring their campaigns, in wire form and in GeoJSON, there and back")
    func withFences() throws {
        let fixture = try ServerFixture()
        let geojson = "/v1/admin/fences.geojson"
        func feature(_ id: String, _ properties: String) -> String {
            """
            {"type": "Feature", "id": "\(id)", "properties": {"radius_m": 150\(properties)},
             "geometry": {"type": "Point", "coordinates": [13, 52]}}
            """
        }
        func collection(_ features: String...) -> String {
            "{\"type\": \"FeatureCollection\", \"features\": [\(features.joined(separator: ","))]}"
        }
        let one = "{\"id\": \"c\", \"trigger\": \"dwell\", \"title\": \"Stay\"}"
        let made = fixture.admin(
            "PUT", geojson,
            collection(
                feature("a", ", \"campaigns\": [\(one)]"), feature("b", ", \"campaigns\": [\(one)]")
            ))
        #expect(made.status == 200, "\(made.text)")
        let exported = fixture.admin("GET", geojson).text
        #expect(exported.contains("\"Stay\""))
        let again = fixture.admin("PUT", geojson, exported)
        #expect(again["unchanged"]?.array?.count == 2, "\(again.text)")
        #expect(fixture.admin("GET", path)["fence_ids"]?.array?.count == 2)
        // Changed through one fence, it is changed at the other.
        let changed = fixture.admin(
            "POST", geojson,
            collection(
                feature(
                    "a", ", \"campaigns\": [\(one.replacingOccurrences(of: "Stay", with: "Go"))]")))
        #expect(changed["updated"] == .array([.string("a")]))
        let other = fixture.admin("GET", "/v1/admin/fences/b")
        #expect(other["campaigns"]?.array?.first?["title"]?.string == "Go")
        #expect(other["campaigns"]?.array?.first?["version"]?.number == 2)
        // Absent leaves them, an empty list removes them.
        #expect(fixture.admin("POST", geojson, collection(feature("a", ""))).status == 200)
        #expect(fixture.admin("GET", "/v1/admin/fences/a")["campaigns"]?.array?.count == 1)
        let emptied = fixture.admin(
            "POST", geojson, collection(feature("a", ", \"campaigns\": []")))
        #expect(emptied["updated"] == .array([.string("a")]))
        #expect(fixture.admin("GET", "/v1/admin/fences/a")["campaigns"] == nil)
        #expect(fixture.admin("GET", path)["fence_ids"] == .array([.string("b")]))
        #expect(fixture.admin("DELETE", "/v1/admin/fences/b").status == 204)
        #expect(fixture.admin("GET", path)["fence_ids"] == .array([]))
    }

    @Test(
        "a fence's campaigns are refused where they stand",
        arguments: [
            ("[{}]", "/campaigns/0/id"), ("[7]", "/campaigns/0"),
            (
                "[{\"id\": \"c\", \"trigger\": \"enter\", \"title\": \"x\"},"
                    + "{\"id\": \"c\", \"trigger\": \"enter\", \"title\": \"x\"}]",
                "/campaigns/1/id"
            ),
            (
                "[{\"id\": \"c\", \"trigger\": \"enter\", \"title\": \"x\", \"body\": 1}]",
                "/campaigns/0/body"
            ),
            (
                "[{\"id\": \"c\", \"trigger\": \"enter\", \"title\": \"x\", \"fence_ids\": []}]",
                "/campaigns/0/fence_ids"
            ),
        ])
    func inlineDefects(campaigns: String, pointer: String) throws {
        let body = """
            {"type": "circle", "center": {"lat": 52, "lon": 13}, "radius_m": 200,
             "campaigns": \(campaigns)}
            """
        let answer = try ServerFixture().admin("PUT", "/v1/admin/fences/a", body)
        #expect(answer.status == 422)
        #expect(answer["errors"]?.array?.first?["pointer"]?.string == pointer, "\(answer.text)")
    }

    @Test("one id is one campaign within a request")
    func conflict() throws {
        func feature(_ id: String, _ title: String) -> String {
            """
            {"type": "Feature", "id": "\(id)", "properties": {"radius_m": 150, "campaigns":
             [{"id": "c", "trigger": "enter", "title": "\(title)"}]},
             "geometry": {"type": "Point", "coordinates": [13, 52]}}
            """
        }
        let answer = try ServerFixture().admin(
            "PUT", "/v1/admin/fences.geojson",
            """
            {"type": "FeatureCollection", "features": [\(feature("a", "x")), \(feature("b", "y"))]}
            """)
        #expect(answer.status == 422 && answer.code == "campaign_conflict")
        let pointer = answer["errors"]?.array?.first?["pointer"]?.string
        #expect(pointer == "/features/1/properties/campaigns/0/id")
    }

    @Test("a campaign whose trigger the fence does not report is noticed")
    func unreported() throws {
        let fixture = try fixture()
        let silent = """
            {"type": "circle", "center": {"lat": 52, "lon": 13}, "radius_m": 200,
             "transitions": ["exit"]}
            """
        #expect(fixture.admin("PUT", "/v1/admin/fences/a", silent).status == 200)
        let answer = fixture.admin("PUT", path, campaign("\"fence_ids\": [\"a\", \"b\"]"))
        let warnings = answer["warnings"]?.array ?? []
        #expect(warnings.count == 1 && warnings.first?["fence_id"]?.string == "a")
        #expect(warnings.first?["code"]?.string == "trigger_not_reported")
    }

    @Test("a fence carries 50 campaigns, one more is refused and changes nothing")
    func carriageLimit() throws {
        let fixture = try fixture()
        for index in 0..<50 {
            let answer = fixture.admin(
                "PUT", "/v1/admin/campaigns/c\(index)", campaign("\"fence_ids\": [\"a\"]"))
            #expect(answer.status == 201)
        }
        let answer = fixture.admin("PUT", path, campaign("\"fence_ids\": [\"a\"]"))
        #expect(answer.status == 422 && answer.code == "campaign_limit")
        #expect(fixture.admin("GET", path).status == 404)
    }

    @Test("another workspace's campaigns and fences are not there")
    func isolation() throws {
        let fixture = try fixture()
        #expect(fixture.admin("PUT", path, campaign("\"fence_ids\": [\"a\"]")).status == 201)
        let key = try fixture.anotherWorkspace().adminKey
        #expect(fixture.admin("GET", path, key: key).status == 404)
        #expect(fixture.admin("DELETE", path, key: key).status == 404)
        #expect(
            fixture.admin("GET", "/v1/admin/campaigns", key: key)["campaigns"] == .array([]))
        let stolen = fixture.admin("PUT", path, campaign("\"fence_ids\": [\"a\"]"), key: key)
        #expect(stolen.status == 422 && stolen.code == "unknown_fence")
        #expect(fixture.admin("PUT", path, campaign("\"body\": \"x\""), key: key).status == 201)
        #expect(fixture.admin("GET", path)["body"] == nil)
    }
}
