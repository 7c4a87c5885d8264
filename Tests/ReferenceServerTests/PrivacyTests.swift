import Foundation
import SQLite
import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

@Suite("One device's data")
struct PrivacyTests {
    private func filled() throws -> ServerFixture {
        let fixture = try ServerFixture()
        for device in ["van-7", "van-8"] {
            var visit = EventText.numbered(3, "visit_started")
            visit.id = "\(device)-visit"
            visit.visit = "visit-of-\(device)"
            var enter = EventText("\(device)-enter")
            enter.extra = ", \"reason\": \"trace-of-\(device)\""
            let answer = fixture.upload([enter.json, visit.json], device: device)
            #expect(answer.outcomes == ["accepted", "accepted"])
        }
        return fixture
    }

    @Test("everything that is kept of a device can be taken out, and nothing of another")
    func export() throws {
        let fixture = try filled()
        let answer = fixture.admin("GET", "/v1/admin/devices/van-7/export")
        #expect(answer.status == 200)
        #expect(answer["device", "device_id"]?.string == "van-7")
        #expect(answer["events"]?.array?.count == 2 && answer["visits"]?.array?.count == 1)
        #expect(!answer.text.contains("van-8"))
        #expect(fixture.admin("GET", "/v1/admin/devices/none/export").status == 404)
    }

    @Test(
        "erasing a device of more events than a piece leaves nothing of it, and everything of another"
    )
    func eraseInPieces() throws {
        let fixture = try filled()
        for batch in 0..<6 {
            let events = (0..<500).map { number -> String in
                var event = EventText.numbered(batch * 500 + number + 10)
                event.visit = "visit-\(batch)-\(number)"
                event.type = "visit_started"
                return event.json
            }
            #expect(fixture.upload(events, batch: "b-\(batch)").status == 200)
        }
        #expect(fixture.admin("DELETE", "/v1/admin/devices/van-7").status == 204)
        #expect(fixture.admin("GET", "/v1/admin/devices/van-7").status == 404)
        let database = try Connection(path: fixture.directory.file("server.db"))
        for table in SQLiteServerStore.tablesOfDevice where table != "device_tags" {
            let devices = try database.query("SELECT DISTINCT device FROM \(table)") { $0.int(0) }
            #expect(devices.count <= 1, "\(table)")
        }
        #expect(fixture.admin("GET", "/v1/admin/events")["events"]?.array?.count == 2)
    }

    @Test("an export of more events than a page has all of them")
    func longExport() throws {
        let fixture = try ServerFixture()
        for batch in 0..<3 {
            let events = (0..<400).map { EventText.numbered(batch * 400 + $0 + 1).json }
            #expect(fixture.upload(events, batch: "b-\(batch)").status == 200)
        }
        let answer = fixture.admin("GET", "/v1/admin/devices/van-7/export")
        #expect(answer["events"]?.array?.count == 1_200)
    }

    @Test("an export has every anchor and every allowed notification of the device, and no other's")
    func completeExport() throws {
        let fixture = try filled()
        for (device, first) in [("van-7", 0), ("van-8", 1_000_000)] {
            for batch in 0..<20 {
                let anchors = (0..<50).map {
                    """
                    {"boot_id": "boot-\($0 % 3)", "mono_ms": \(first + batch * 50 + $0),
                     "utc": "2026-01-31T12:00:00Z", "source": "gnss"}
                    """
                }
                var event = EventText("\(device)-more-\(batch)")
                event.sequence = 10 + batch
                let answer = fixture.upload(
                    [event.json], batch: "more-\(batch)", device: device,
                    anchors: "[\(anchors.joined(separator: ","))]")
                #expect(answer.outcomes == ["accepted"], "\(answer.text)")
            }
        }
        let database = try Connection(path: fixture.directory.file("server.db"))
        try database.execute(
            """
            INSERT INTO notification_claims SELECT e.id, e.workspace, 'u', 'depot',
                'for-' || d.device_id, e.received_ms
                FROM events e JOIN devices d ON d.id = e.device
            """)
        let answer = fixture.admin("GET", "/v1/admin/devices/van-7/export")
        #expect(answer.response.headers["Content-Type"] == "application/json")
        #expect(answer["events"]?.array?.count == 22 && answer["visits"]?.array?.count == 1)
        let anchors = answer["clock_anchors"]?.array ?? []
        #expect(anchors.count == 1_000)
        #expect(
            Set(anchors.compactMap { $0["mono_ms"]?.number }) == Set((0..<1_000).map(Double.init)))
        let claims = answer["notification_claims"]?.array ?? []
        #expect(claims.count == 22)
        #expect(claims.allSatisfy { $0["campaign_id"]?.string == "for-van-7" })
        #expect(!answer.text.contains("van-8"))
    }

    @Test("a code for an erased device gives no key any more; those for others and for any do")
    func codes() throws {
        let fixture = try filled()
        func code(_ body: String) throws -> String {
            let answer = fixture.admin("POST", "/v1/admin/provision-codes", body)
            return try #require(answer["code"]?.string)
        }
        func provision(_ code: String, _ device: String) -> Answer {
            fixture.ask(
                "POST", "/v1/provision", "{\"code\": \"\(code)\", \"device_id\": \"\(device)\"}")
        }
        let erased = try code("{\"device_id\": \"van-7\"}")
        let other = try code("{\"device_id\": \"van-8\"}")
        let any = try code("{}")
        let stranger = try fixture.anotherWorkspace()
        let elsewhere = fixture.admin(
            "POST", "/v1/admin/provision-codes", "{\"device_id\": \"van-7\"}",
            key: stranger.adminKey)
        #expect(fixture.admin("DELETE", "/v1/admin/devices/van-7").status == 204)
        let refused = provision(erased, "van-7")
        #expect(refused.status == 403 && refused.code == "code_unknown")
        #expect(provision(other, "van-8").status == 201)
        #expect(provision(any, "van-9").status == 201)
        let code = try #require(elsewhere["code"]?.string)
        #expect(provision(code, "van-7").status == 201)
    }

    @Test("an erased device is gone, from the file as well, its keys with it; others stay")
    func erase() throws {
        let fixture = try filled()
        let key = try ServerFixture.issue(
            .live, fixture.workspace.id, fixture.store, fixture.clock.wallClock.time,
            device: "van-7")
        #expect(fixture.device("GET", "/v1/config", key: key).status == 200)
        #expect(fixture.admin("DELETE", "/v1/admin/devices/van-7").status == 204)
        #expect(fixture.admin("DELETE", "/v1/admin/devices/van-7").status == 404)
        #expect(fixture.device("GET", "/v1/config", key: key).code == "key_revoked")
        for list in ["events", "visits", "devices"] {
            let rows = fixture.admin("GET", "/v1/admin/\(list)")[list]?.array ?? []
            #expect(!rows.isEmpty, "\(list)")
            #expect(rows.allSatisfy { $0["device_id"]?.string == "van-8" }, "\(list)")
        }
        let database = fixture.directory.file("server.db")
        let orphans = try Connection(path: database)
        for table in ["events", "epochs", "anchors", "visits", "occupancy", "device_tags"] {
            let count = try orphans.first(
                "SELECT count(*) FROM \(table) WHERE device NOT IN (SELECT id FROM devices)"
            ) { $0.int(0) }
            #expect(count == 0, "\(table)")
        }
        try fixture.store.checkpoint()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: database))
        #expect(bytes.range(of: Data("trace-of-van-7".utf8)) == nil)
        #expect(bytes.range(of: Data("trace-of-van-8".utf8)) != nil)
    }
}
