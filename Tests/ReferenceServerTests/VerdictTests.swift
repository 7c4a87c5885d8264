import Foundation
import SQLite
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

@Suite("Verdicts on notifications")
struct VerdictTests {
    /// A fence "depot" with campaign "c" on entering, 24 h of cooldown.
    private func fixture(
        fence: String = "", campaign: String = "", config: String = "{}"
    ) throws -> ServerFixture {
        let fixture = try ServerFixture()
        let extra = fence.isEmpty ? "" : ", \(fence)"
        for id in ["depot", "yard"] {
            let answer = fixture.admin(
                "PUT", "/v1/admin/fences/\(id)",
                String(circle(lat: 52, lon: 13, radius: 200).dropLast()) + "\(extra)}")
            #expect(answer.status == 201, "\(answer.text)")
        }
        try put("c", campaign, on: fixture)
        #expect(fixture.admin("PUT", "/v1/admin/config", config).status == 200)
        return fixture
    }

    private func put(_ id: String, _ members: String, on fixture: ServerFixture) throws {
        let answer = fixture.admin(
            "PUT", "/v1/admin/campaigns/\(id)",
            """
            {"trigger": "enter", "title": "Hello", "fence_ids": ["depot", "yard"]
             \(members.isEmpty ? "" : ", \(members)")}
            """)
        #expect(answer.status == 201, "\(answer.text)")
    }

    private func event(
        _ id: String, at time: String?, _ decision: String = "shown", reason: String? = nil,
        campaign: String = "c", fence: String = "depot", type: String = "enter"
    ) -> EventText {
        var event = EventText(id)
        event.occurredAt = time
        event.fence = fence
        event.type = type
        let why = reason.map { ", \"reason\": \"\($0)\"" } ?? ""
        event.notification = """
            {"decision": "\(decision)", "campaign_id": "\(campaign)", "campaign_version": 1\(why)}
            """
        return event
    }

    private func verdicts(_ answer: Answer) -> [String] {
        (answer["results"]?.array ?? []).map {
            $0["server_notification_verdict"]?.string ?? "none"
        }
    }

    private func verdict(_ event: EventText, _ fixture: ServerFixture) -> String? {
        verdicts(fixture.upload([event.json])).first
    }

    @Test("what was shown claims the cooldown, to the last millisecond")
    func cooldown() throws {
        let fixture = try fixture()
        let rows = [
            ("2026-01-01T12:00:00.000Z", "allowed"), ("2026-01-01T12:00:00.000Z", "cooldown"),
            ("2026-01-02T11:59:59.999Z", "cooldown"), ("2026-01-02T12:00:00.000Z", "allowed"),
        ]
        for (index, (time, expected)) in rows.enumerated() {
            #expect(verdict(event("e-\(index)", at: time), fixture) == expected, "\(index)")
        }
        let listed = fixture.admin("GET", "/v1/admin/events")["events"]?.array ?? []
        #expect(
            listed.map { $0["server_notification_verdict"]?.string ?? "" } == rows.map(\.1))
    }

    @Test("a batch is judged in the order of occurrence and answered in its own")
    func order() throws {
        let fixture = try fixture()
        let answer = fixture.upload([
            event("late", at: "2026-01-01T20:00:00Z").json,
            event("early", at: "2026-01-01T08:00:00Z").json,
            event("early", at: "2026-01-01T08:00:00Z").json,
        ])
        #expect(answer.outcomes == ["accepted", "accepted", "duplicate"])
        #expect(verdicts(answer) == ["cooldown", "allowed", "allowed"])
    }

    @Test("a late older event revokes no verdict, and keeps away from it")
    func lateOlder() throws {
        let fixture = try fixture()
        let first = event("e-1", at: "2026-01-10T12:00:00Z")
        #expect(verdict(first, fixture) == "allowed")
        #expect(verdict(event("e-2", at: "2026-01-10T09:00:00Z"), fixture) == "cooldown")
        #expect(verdict(event("e-3", at: "2026-01-09T12:00:00Z"), fixture) == "allowed")
        #expect(verdict(event("e-4", at: "2026-01-09T18:00:00Z"), fixture) == "cooldown")
        #expect(verdict(first, fixture) == "allowed")
    }

    @Test("a duplicate gets the verdict that was given, whatever has changed since")
    func duplicates() throws {
        let fixture = try fixture()
        let one = event("e-1", at: "2026-01-10T12:00:00Z")
        let two = event("e-2", at: "2026-01-10T13:00:00Z")
        let first = fixture.upload([one.json, two.json])
        #expect(verdicts(first) == ["allowed", "cooldown"])
        #expect(fixture.admin("DELETE", "/v1/admin/campaigns/c").status == 204)
        #expect(fixture.admin("DELETE", "/v1/admin/fences/depot").status == 204)
        let again = fixture.upload([two.json, one.json])
        #expect(again.outcomes == ["duplicate", "duplicate"])
        #expect(verdicts(again) == ["cooldown", "allowed"])
    }

    @Test("a member has one cooldown on all devices, a device without a member its own")
    func subjects() throws {
        let fixture = try fixture()
        func upload(_ id: String, _ device: String, _ user: String?) -> String? {
            let body = """
                {"batch_id": "b", "device_id": "\(device)", "events":
                 [\(event(id, at: "2026-01-01T12:00:00Z").json)]}
                """
            let headers = user.map { ["X-User-Id": $0] } ?? [:]
            return verdicts(
                fixture.device("POST", "/v1/events/batch", body, id: device, headers: headers)
            ).first
        }
        #expect(upload("e-1", "phone", "ann") == "allowed")
        #expect(upload("e-2", "van", "ann") == "cooldown")
        #expect(upload("e-3", "van", "bob") == "allowed")
        #expect(upload("e-4", "van", nil) == "allowed")
        #expect(upload("e-5", "phone", nil) == "allowed")
        #expect(upload("e-6", "phone", nil) == "cooldown")
        // A device may not pose as a member by its id.
        #expect(upload("e-7", "ann", nil) == "allowed")
        let other = try fixture.anotherWorkspace()
        let answer = fixture.upload(
            [event("e-1", at: "2026-01-01T12:00:00Z").json], key: other.deviceKey)
        #expect(verdicts(answer) == ["not_applicable"])
    }

    @Test("the fence's cooldown counts what any campaign showed there, a campaign's its own")
    func twoCooldowns() throws {
        let fixture = try fixture(
            fence: "\"cooldown_hours\": 1", campaign: "\"cooldown_hours\": 48")
        try put("d", "", on: fixture)
        let rows = [
            ("2026-01-01T12:00:00Z", "c", "depot", "allowed"),
            ("2026-01-01T12:30:00Z", "d", "depot", "cooldown"),
            ("2026-01-01T12:30:00Z", "d", "yard", "allowed"),
            ("2026-01-01T13:00:00Z", "d", "depot", "allowed"),
            ("2026-01-02T12:00:00Z", "c", "depot", "cooldown"),
            ("2026-01-02T12:00:00Z", "c", "yard", "allowed"),
            ("2026-01-03T12:00:00Z", "c", "depot", "allowed"),
        ]
        for (index, (time, campaign, fence, expected)) in rows.enumerated() {
            let row = event("e-\(index)", at: time, campaign: campaign, fence: fence)
            #expect(verdict(row, fixture) == expected, "\(index)")
        }
    }

    @Test("the hours of a fence are those of its zone, and replace those of the configuration")
    func hours() throws {
        let quiet = "{\"start\": \"22:00\", \"end\": \"07:00\"}"
        let ownHours = """
            "timezone": "America/New_York", "cooldown_hours": 0, "quiet_hours": \(quiet),
            "active_windows": [{"days": ["mon", "tue", "wed", "thu", "fri"], "start": "06:00",
            "end": "23:00"}]
            """
        let own = try fixture(
            fence: ownHours,
            config: "{\"quiet_hours\": {\"start\": \"12:00\", \"end\": \"13:00\"}}")
        let rows = [
            ("2026-01-06T02:59:59.999Z", "allowed"), ("2026-01-06T03:00:00.000Z", "quiet_hours"),
            ("2026-01-06T11:59:59.999Z", "quiet_hours"), ("2026-01-06T12:00:00.000Z", "allowed"),
            ("2026-01-06T17:30:00.000Z", "allowed"), ("2026-01-04T17:30:00.000Z", "window"),
            // Daylight time: an hour earlier.
            ("2026-07-07T02:00:00.000Z", "quiet_hours"), ("2026-07-07T11:00:00.000Z", "allowed"),
        ]
        for (index, (time, expected)) in rows.enumerated() {
            #expect(verdict(event("e-\(index)", at: time), own) == expected, "\(time)")
        }
        let global = try fixture(
            fence: "\"cooldown_hours\": 0", config: "{\"quiet_hours\": \(quiet)}")
        #expect(verdict(event("e-1", at: "2026-01-06T06:59:59Z"), global) == "quiet_hours")
        #expect(verdict(event("e-2", at: "2026-01-06T07:00:00Z"), global) == "allowed")
    }

    @Test("outside its validity a campaign is outside its window")
    func validity() throws {
        let fixture = try fixture(
            fence: "\"cooldown_hours\": 0",
            campaign: """
                "valid_from": "2026-01-01T00:00:00Z", "valid_until": "2026-02-01T00:00:00Z"
                """)
        let rows = [
            ("2025-12-31T23:59:59.999Z", "window"), ("2026-01-01T00:00:00Z", "allowed"),
            ("2026-01-31T23:59:59.999Z", "allowed"), ("2026-02-01T00:00:00Z", "window"),
        ]
        for (index, (time, expected)) in rows.enumerated() {
            #expect(verdict(event("e-\(index)", at: time), fixture) == expected, "\(time)")
        }
    }

    @Test("a cap counts the day of the fence's zone, at all fences, whatever came first")
    func cap() throws {
        let fixture = try fixture(
            fence: "\"timezone\": \"Pacific/Auckland\", \"cooldown_hours\": 0",
            campaign: "\"max_per_day\": 2")
        // Midnight in Auckland is 11:00 UTC in January.
        let rows = [
            ("2026-01-05T11:00:00Z", "depot", "allowed"),
            ("2026-01-06T10:59:59Z", "yard", "allowed"),
            ("2026-01-05T20:00:00Z", "depot", "cap"), ("2026-01-06T11:00:00Z", "depot", "allowed"),
            ("2026-01-05T10:59:59Z", "depot", "allowed"),
        ]
        for (index, (time, fence, expected)) in rows.enumerated() {
            let row = event("e-\(index)", at: time, fence: fence)
            #expect(verdict(row, fixture) == expected, "\(index)")
        }
    }

    @Test("there is no verdict where nothing was to be shown, and no claim")
    func notApplicable() throws {
        let fixture = try fixture()
        let time = "2026-01-01T12:00:00Z"
        let rows = [
            event("e-1", at: time, "none"), event("e-2", at: time, campaign: "x"),
            event("e-3", at: time, fence: "nowhere"), event("e-4", at: time, type: "exit"),
            event("e-5", at: time, type: "visit_started"), event("e-6", at: time, "whispered"),
            event("e-7", at: time, "suppressed", reason: "burst"),
            event("e-8", at: time, "suppressed", reason: "initial_enter"),
            event("e-9", at: time, "suppressed", reason: "fence_deleted"),
            event("e-10", at: time, "suppressed"),
        ]
        let answer = fixture.upload(rows.map(\.json))
        #expect(answer.outcomes == rows.map { _ in "accepted" })
        #expect(verdicts(answer) == rows.map { _ in "not_applicable" })
        #expect(verdict(event("e-11", at: time), fixture) == "allowed")
    }

    @Test("what a device held back and the server would not have is allowed, and claims")
    func heldBack() throws {
        let fixture = try fixture()
        let held = event("e-1", at: "2026-01-01T12:00:00Z", "suppressed", reason: "cooldown")
        #expect(verdict(held, fixture) == "allowed")
        #expect(verdict(event("e-2", at: "2026-01-02T11:00:00Z"), fixture) == "cooldown")
        let agreed = event("e-3", at: "2026-01-02T11:00:00Z", "suppressed", reason: "cooldown")
        #expect(verdict(agreed, fixture) == "cooldown")
    }

    @Test(
        "a time that only an anchor tells is judged by, one that nobody tells counts from receipt")
    func unknownTime() throws {
        let quiet = "\"quiet_hours\": {\"start\": \"22:00\", \"end\": \"07:00\"}"
        let fixture = try fixture(fence: quiet)
        var told = event("e-1", at: nil)
        told.mono = 3_600_000
        let anchors = """
            [{"boot_id": "boot-1", "mono_ms": 0, "utc": "2026-01-01T22:00:00Z", "source": "gnss"}]
            """
        #expect(verdicts(fixture.upload([told.json], anchors: anchors)) == ["quiet_hours"])
        var untold = event("e-2", at: nil)
        untold.boot = "boot-2"
        #expect(verdict(untold, fixture) == "window")
        let hourless = try self.fixture()
        #expect(verdict(untold, hourless) == "allowed")
        let now = hourless.clock.wallClock.time
        #expect(verdict(event("e-3", at: now.rfc3339), hourless) == "cooldown")
    }

    @Test("rules that cannot be read any more suppress, and hold up no event")
    func unreadable() throws {
        let fixture = try fixture()
        let database = try Connection(path: fixture.directory.file("server.db"))
        let time = "2026-01-01T12:00:00Z"
        for (index, config) in ["{\"quiet_hours\": {\"days\": []}}", "[", "{}"].enumerated() {
            try database.run("UPDATE workspaces SET config = ?", Array(config.utf8))
            let found = verdict(event("e-\(index)", at: time), fixture)
            #expect(found == (config == "{}" ? "allowed" : "window"), "\(config)")
        }
        try database.run("UPDATE fences SET document = ?", Array("{".utf8))
        #expect(verdict(event("e-9", at: time), fixture) == "not_applicable")
    }

    @Test("claims are kept with their event or not at all")
    func atomicity() throws {
        let fixture = try fixture()
        let time = "2026-01-01T12:00:00Z"
        try fixture.store.writer.withConnection { connection throws(SQLiteError) in
            let pages = try connection.first("PRAGMA page_count") { $0.int(0) } ?? 0
            _ = try connection.setPragma("max_page_count", pages)
        }
        let events = (0..<200).map { event("e-\($0)", at: time).json }
        #expect(fixture.upload(events).status == 503)
        try fixture.store.writer.withConnection { connection throws(SQLiteError) in
            _ = try connection.setPragma("max_page_count", 1_000_000)
        }
        let again = verdicts(fixture.upload(events))
        #expect(again.first == "allowed" && again.dropFirst().allSatisfy { $0 == "cooldown" })
    }

    @Test("in whatever order events come, none is told twice within a cooldown and none changes")
    func anyOrder() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let fixture = try fixture(
            campaign: "\"max_per_day\": 5, \"cooldown_hours\": 3", config: "{\"cooldown_hours\": 2}"
        )
        var given: [String: String] = [:]
        var times: [String: (UTCTime, String)] = [:]
        var all: [EventText] = []
        let start = try #require(UTCTime(rfc3339: "2026-01-01T00:00:00Z"))
        for index in 0..<120 {
            let time = start.advanced(
                byMilliseconds: Int64.random(in: 0...(4 * 86_400_000), using: &generator))
            let fence = Bool.random(using: &generator) ? "depot" : "yard"
            let made = event("e-\(index)", at: time.rfc3339, fence: fence)
            times[made.id] = (time, fence)
            all.append(made)
        }
        for round in 0..<60 {
            let batch = (0..<8).map { _ in all.randomElement(using: &generator) ?? all[0] }
            let answer = fixture.upload(batch.map(\.json), batch: "b-\(round)")
            for (event, verdict) in zip(batch, verdicts(answer)) {
                #expect(given[event.id] == nil || given[event.id] == verdict, "\(event.id)")
                given[event.id] = verdict
            }
        }
        let allowed = given.filter { $0.value == "allowed" }.compactMap { times[$0.key] }
            .sorted { $0.0 < $1.0 }
        #expect(allowed.count > 5)
        for fence in ["depot", "yard"] {
            let here = allowed.filter { $0.1 == fence }.map(\.0)
            for (one, two) in zip(here, here.dropFirst()) {
                #expect(two.milliseconds(since: one) >= 3 * 3_600_000)
            }
        }
        let days = Dictionary(grouping: allowed) { $0.0.daysSince1970 }
        #expect(days.values.allSatisfy { $0.count <= 5 })
    }
}
