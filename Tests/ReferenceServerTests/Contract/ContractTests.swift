import Testing
import WireFormat

@testable import ReferenceServer

@Suite("The contract")
struct ContractTests {
    /// A server that is asked, and everything that it answered.
    private struct Round {
        let fixture: ServerFixture
        var check: AnswerCheck
        var reached: Set<String> = []

        init() throws {
            fixture = try ServerFixture()
            check = AnswerCheck(try Contract())
        }

        enum Caller { case nobody, device, administrator }

        /// `path` is as documented, `target` what is asked for where it differs.
        @discardableResult
        mutating func ask(
            _ caller: Caller, _ method: String, _ path: String, at target: String? = nil,
            _ body: String? = nil, gives status: Int = 200, headers: [String: String] = [:]
        ) -> Answer {
            let target = target ?? path
            let answer =
                switch caller {
                case .nobody: fixture.ask(method, target, body, headers: headers)
                case .device: fixture.device(method, target, body, headers: headers)
                case .administrator: fixture.admin(method, target, body)
                }
            #expect(answer.status == status, "\(method) \(target): \(answer.text)")
            check.check(answer, of: "\(method) \(path)")
            reached.insert("\(method) \(path) \(answer.status)")
            return answer
        }
    }

    @Test("every operation agrees, with all members and header fields that the document requires")
    func everyAnswer() throws {
        var round = try Round()
        try makeFences(&round)
        makeCampaigns(&round)
        sendEvents(&round)
        askForFences(&round)
        readRecords(&round)
        try issueKeys(&round)
        refuse(&round)
        for (path, target) in [
            ("/v1/admin/campaigns/{id}", "/v1/admin/campaigns/c"),
            ("/v1/admin/fences/{id}", "/v1/admin/fences/depot"),
            ("/v1/admin/devices/{id}", "/v1/admin/devices/van-7"),
        ] {
            round.ask(.administrator, "DELETE", path, at: target, gives: 204)
        }
        #expect(round.check.defects == [])
        let contract = round.check.contract
        #expect(contract.successes.subtracting(round.reached).sorted() == [])
        #expect(
            contract.requirements.subtracting(round.check.held).map(\.line).sorted() == [],
            "lines of the document with requirements that nothing here was held to")
        #expect(contract.requirements.count > 30)
    }

    private func makeFences(_ round: inout Round) throws {
        let circle = """
            {"type": "circle", "center": {"lat": 52, "lon": 13}, "radius_m": 60, "name": "Depot",
             "audience": {"device_ids": ["van-7"]}, "active_windows": [{"all_day": true},
             {"days": ["mon"], "start": "08:00", "end": "17:00"}]}
            """
        let square = """
            {"type": "polygon", "geometry": {"type": "Polygon", "coordinates":
             [[[13, 53], [13.01, 53], [13.01, 53.01], [13, 53.01], [13, 53]]]}}
            """
        let two = """
            {"type": "multipolygon", "geometry": {"type": "MultiPolygon", "coordinates":
             [[[[13, 54], [13.01, 54], [13.01, 54.01], [13, 54.01], [13, 54]]],
             [[[14, 54], [14.01, 54], [14.01, 54.01], [14, 54.01], [14, 54]]]]}}
            """
        let (all, one) = ("/v1/admin/fences", "/v1/admin/fences/{id}")
        round.ask(.administrator, "PUT", one, at: "\(all)/depot", circle, gives: 201)
        round.ask(.administrator, "PUT", one, at: "\(all)/depot", circle)
        for body in [square, two] { round.ask(.administrator, "POST", all, body, gives: 201) }
        round.ask(.administrator, "GET", all)
        round.ask(.administrator, "GET", one, at: "\(all)/depot")
        let exported = round.ask(.administrator, "GET", "/v1/admin/fences.geojson").text
        for method in ["POST", "PUT"] {
            let answer = round.ask(.administrator, method, "/v1/admin/fences.geojson", exported)
            #expect(answer["total"]?.number == 3)
        }
        let config = "{\"refresh_after_m\": 700, \"upload\": {\"max_batch\": 100}}"
        round.ask(.administrator, "PUT", "/v1/admin/config", config)
        round.ask(.administrator, "GET", "/v1/admin/config")
    }

    private func makeCampaigns(_ round: inout Round) {
        let campaign = "{\"trigger\": \"enter\", \"title\": \"T\", \"fence_ids\": [\"depot\"]}"
        let (all, one) = ("/v1/admin/campaigns", "/v1/admin/campaigns/{id}")
        round.ask(.administrator, "PUT", one, at: "\(all)/c", campaign, gives: 201)
        round.ask(.administrator, "PUT", one, at: "\(all)/c", campaign)
        round.ask(.administrator, "POST", all, campaign, gives: 201)
        round.ask(.administrator, "GET", all)
        round.ask(.administrator, "GET", one, at: "\(all)/c")
    }

    private func sendEvents(_ round: inout Round) {
        var enter = EventText("e-1")
        enter.notification = """
            {"decision": "shown", "campaign_id": "c", "campaign_version": 1}
            """
        var visit = EventText.numbered(2, "visit_started")
        visit.visit = "v-1"
        let anchor = """
            {"boot_id": "boot-1", "mono_ms": 60000, "utc": "2026-01-31T12:00:00Z", "source": "gnss"}
            """
        let answer = round.ask(
            .device, "POST", "/v1/events/batch",
            """
            {"batch_id": "b-1", "device_id": "van-7", "clock_anchors": [\(anchor)],
             "events": [\(enter.json), \(visit.json), {"client_event_id": "e-3"}]}
            """)
        #expect(answer.outcomes == ["accepted", "accepted", "invalid_event"])
        round.ask(
            .device, "POST", "/v1/devices/{id}/heartbeat", at: "/v1/devices/van-7/heartbeat",
            "{\"queue\": {\"pending\": 1, \"dead\": 0}}")
    }

    private func askForFences(_ round: inout Round) {
        let (path, place) = ("/v1/fences/nearest", "{\"lat\": 52, \"lon\": 13}")
        let query = "\(path)?lat=52&lon=13"
        let tag = round.ask(.device, "GET", path, at: query).response.headers["ETag"] ?? ""
        round.ask(.device, "POST", path, place)
        let headers = ["If-None-Match": tag]
        round.ask(.device, "GET", path, at: query, gives: 304, headers: headers)
        round.ask(.device, "POST", path, place, gives: 304, headers: headers)
        let assigned = round.ask(.device, "GET", "/v1/fences", at: "/v1/fences?assigned=me")
        #expect(assigned["fences"]?.array?.count == 1)
        round.ask(.device, "GET", "/v1/config")
    }

    private func readRecords(_ round: inout Round) {
        for path in ["/v1/healthz", "/v1/readyz", "/metrics"] { round.ask(.nobody, "GET", path) }
        for name in ["events", "events.csv", "visits", "devices", "usage"] {
            round.ask(.administrator, "GET", "/v1/admin/\(name)")
        }
        for (name, id) in [("events", "e-1"), ("visits", "v-1")] {
            let path = "/v1/admin/\(name)"
            round.ask(.administrator, "GET", "\(path)/{id}", at: "\(path)/\(id)")
        }
        let (path, device) = ("/v1/admin/devices/{id}", "/v1/admin/devices/van-7")
        round.ask(.administrator, "GET", path, at: device)
        round.ask(.administrator, "PUT", path, at: device, "{\"tags\": [\"blue\"]}")
        round.ask(.administrator, "GET", "\(path)/export", at: "\(device)/export")
    }

    private func issueKeys(_ round: inout Round) throws {
        let issued = round.ask(
            .administrator, "POST", "/v1/admin/keys", "{\"scope\": \"live\"}", gives: 201)
        round.ask(.administrator, "GET", "/v1/admin/keys")
        let key = "/v1/admin/keys/\(Int(try #require(issued["id"]?.number)))"
        round.ask(.administrator, "GET", "/v1/admin/keys/{id}", at: key)
        round.ask(.administrator, "DELETE", "/v1/admin/keys/{id}", at: key, gives: 204)
        let code = round.ask(.administrator, "POST", "/v1/admin/provision-codes", "{}", gives: 201)
        round.ask(
            .nobody, "POST", "/v1/provision",
            "{\"code\": \"\(code["code"]?.string ?? "")\", \"device_id\": \"van-9\"}", gives: 201)
    }

    private func refuse(_ round: inout Round) {
        round.ask(.nobody, "GET", "/v1/config", gives: 401)
        round.ask(.device, "GET", "/v1/admin/events", gives: 403)
        round.ask(
            .administrator, "GET", "/v1/admin/fences/{id}", at: "/v1/admin/fences/no", gives: 404)
        round.ask(.administrator, "POST", "/v1/admin/fences", "{\"type\": \"circle\"}", gives: 422)
        round.ask(.device, "POST", "/v1/events/batch", "{", gives: 400)
    }

    private static let batchAnswer = """
        {"batch_id": "b", "server_time": "2026-01-31T12:00:00.000Z", "config_revision": 7,
         "results": [{"client_event_id": "e", "status": "accepted",
         "server_notification_verdict": "allowed"}]}
        """

    @Test(
        "a member that is missing, of another kind or not a word of the document is found",
        arguments: [
            ("\"b\"", "7", "/batch_id: is no string"), ("7", "\"x\"", "/config_revision: is no"),
            ("7", "7.5", "/config_revision: is no integer"),
            ("\"batch_id\"", "\"other\"", "/batch_id: is missing"),
            ("\"status\"", "\"other\"", "/results/0/status: is missing"),
            ("\"accepted\"", "\"lost\"", "/results/0/status:"),
            ("\"allowed\"", "null", "/results/0/server_notification_verdict:"),
        ])
    func defects(old: String, new: String, expected: String) throws {
        let contract = try Contract()
        let schema = try #require(contract.schema("BatchAnswer"))
        func found(_ text: String) throws -> [String] {
            var check = AnswerCheck(contract)
            let json = try WireCoding.decode(JSONValue.self, from: Array(text.utf8))
            check.check(json, schema, at: "")
            return check.defects
        }
        #expect(try found(Self.batchAnswer) == [])
        let defects = try found(Self.batchAnswer.replacing(old, with: new, maxReplacements: 1))
        #expect(defects.count == 1 && defects.first?.hasPrefix(expected) == true, "\(defects)")
    }
}
