import SQLite
import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

@Suite("Retention")
struct RetentionTests {
    private func upload(_ fixture: ServerFixture, _ number: Int, visit: String) {
        var start = EventText.numbered(number * 2 + 1, "visit_started")
        start.visit = visit
        var end = EventText.numbered(number * 2 + 2, "visit_ended")
        end.visit = visit
        let anchors = """
            [{"boot_id": "boot-\(number)", "mono_ms": 0, "utc": "2020-01-01T00:00:00Z",
              "source": "gnss"}]
            """
        start.boot = "boot-\(number)"
        end.boot = "boot-\(number)"
        let answer = fixture.upload([start.json, end.json], batch: "b-\(number)", anchors: anchors)
        #expect(answer.outcomes == ["accepted", "accepted"])
    }

    @Test("what was received 91 days ago goes, what was received 90 days ago stays, to the day")
    func days() throws {
        let fixture = try ServerFixture()
        upload(fixture, 1, visit: "first")
        let hours = fixture.clock.wallClock.time.millisecondsOfDay / 3_600_000
        fixture.clock.advance(seconds: 86_400)
        upload(fixture, 2, visit: "second")
        let retention = Retention(fixture.store)
        func ids(_ list: String, _ name: String) -> [String] {
            (fixture.admin("GET", "/v1/admin/\(list)")[list]?.array ?? [])
                .compactMap { $0[name]?.string }
        }
        fixture.clock.advance(seconds: 89 * 86_400)
        #expect(try retention.run(now: fixture.clock.wallClock.time) == 0)
        #expect(ids("events", "client_event_id").count == 4)
        // Midnight of the next day.
        fixture.clock.advance(seconds: (24 - hours) * 3_600)
        #expect(try retention.run(now: fixture.clock.wallClock.time) == 2)
        #expect(ids("events", "client_event_id") == ["e-5", "e-6"])
        #expect(ids("visits", "visit_id") == ["second"])
        let database = try Connection(path: fixture.directory.file("server.db"))
        let boots = try database.query("SELECT boot_id FROM anchors") { $0.text(0) }
        #expect(boots == ["boot-2"])
        #expect(try retention.run(now: fixture.clock.wallClock.time) == 0)
        // The month's count is of what was accepted, not of what is kept.
        #expect(fixture.admin("GET", "/v1/admin/usage")["devices", "used"]?.number == 1)
    }

    @Test("many events go in pieces")
    func pieces() throws {
        let fixture = try ServerFixture()
        for batch in 0..<5 {
            let events = (0..<500).map { EventText.numbered(batch * 500 + $0 + 1).json }
            #expect(fixture.upload(events, batch: "b-\(batch)").status == 200)
        }
        fixture.clock.advance(seconds: 100 * 86_400)
        #expect(fixture.upload([EventText("new").json], batch: "n").outcomes == ["accepted"])
        #expect(try Retention(fixture.store).run(now: fixture.clock.wallClock.time) == 2_500)
        let rest = fixture.admin("GET", "/v1/admin/events")["events"]?.array ?? []
        #expect(rest.compactMap { $0["client_event_id"]?.string } == ["new"])
    }

    @Test("metrics count answers and events, and name nobody")
    func metrics() throws {
        let fixture = try ServerFixture()
        #expect(fixture.upload([EventText("e-1").json, EventText("e-1").json]).status == 200)
        #expect(fixture.ask("GET", "/nowhere").status == 404)
        let answer = fixture.ask("GET", "/metrics")
        #expect(answer.response.headers["Content-Type"] == "text/plain; version=0.0.4")
        for line in [
            "geofence_server_answers_total{status=\"200\"} 1",
            "geofence_server_answers_total{status=\"404\"} 1",
            "geofence_server_events_total{result=\"accepted\"} 1",
            "geofence_server_events_total{result=\"duplicate\"} 1",
        ] { #expect(answer.text.contains(line + "\n"), "\(answer.text)") }
        #expect(!answer.text.contains("van-7") && !answer.text.contains("first"))
    }
}
