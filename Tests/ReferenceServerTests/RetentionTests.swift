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

    /// What the job does that has run every day until now.
    private func daily(
        _ fixture: ServerFixture, isStopped: () -> Bool = { false }
    ) throws -> Retention.Outcome {
        let clock = fixture.clock.wallClock
        try fixture.store.noteRetention(RetentionDays(trusted: clock.time.daysSince1970 - 1))
        return try Retention(fixture.store).run(at: clock, isStopped: isStopped)
    }

    @Test("what was received 91 days ago goes, what was received 90 days ago stays, to the day")
    func days() throws {
        let fixture = try ServerFixture()
        upload(fixture, 1, visit: "first")
        let hours = fixture.clock.wallClock.time.millisecondsOfDay / 3_600_000
        fixture.clock.advance(seconds: 86_400)
        upload(fixture, 2, visit: "second")
        func ids(_ list: String, _ name: String) -> [String] {
            (fixture.admin("GET", "/v1/admin/\(list)")[list]?.array ?? [])
                .compactMap { $0[name]?.string }
        }
        fixture.clock.advance(seconds: 89 * 86_400)
        #expect(try daily(fixture) == .deleted(0))
        #expect(ids("events", "client_event_id").count == 4)
        // Midnight of the next day.
        fixture.clock.advance(seconds: (24 - hours) * 3_600)
        #expect(try daily(fixture) == .deleted(2))
        #expect(ids("events", "client_event_id") == ["e-5", "e-6"])
        #expect(ids("visits", "visit_id") == ["second"])
        let database = try Connection(path: fixture.directory.file("server.db"))
        let boots = try database.query("SELECT boot_id FROM anchors") { $0.text(0) }
        #expect(boots == ["boot-2"])
        #expect(try database.query("SELECT boot_id FROM boots") { $0.text(0) } == boots)
        #expect(try daily(fixture) == .deleted(0))
        // The month's count is of what was accepted, not of what is kept.
        #expect(fixture.admin("GET", "/v1/admin/usage")["devices", "used"]?.number == 1)
    }

    @Test(
        "a device that has been silent for as long is forgotten, one that waits loses what it said")
    func silentDevices() throws {
        let fixture = try ServerFixture()
        let place = "{\"last_fix\": {\"lat\": 52, \"lon\": 13}}"
        for number in 1...30 {
            let path = "/v1/devices/van-\(number)/heartbeat"
            _ = fixture.device("POST", path, place, id: "van-\(number)")
        }
        _ = fixture.admin("PUT", "/v1/admin/devices/van-3", "{\"tags\": [\"winter\"]}")
        var open = EventText("open")
        open.type = "visit_started"
        open.visit = "v"
        #expect(fixture.upload([open.json], device: "van-4").outcomes == ["accepted"])
        fixture.clock.advance(seconds: 100 * 86_400)
        _ = fixture.device("POST", "/v1/devices/van-5/heartbeat", place, id: "van-5")
        #expect(try daily(fixture) == .deleted(1))
        let rows = fixture.admin("GET", "/v1/admin/devices")["devices"]?.array ?? []
        #expect(rows.compactMap { $0["device_id"]?.string } == ["van-3", "van-4", "van-5"])
        #expect(rows.map { $0["heartbeat"] == .null } == [true, true, false])
        #expect(visits(fixture) == ["v": "open"])
        // It comes back as a new one.
        _ = fixture.device("POST", "/v1/devices/van-6/heartbeat", place, id: "van-6")
        #expect(fixture.admin("GET", "/v1/admin/devices/van-6").status == 200)
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
        #expect(try daily(fixture) == .deleted(2_500))
        let rest = fixture.admin("GET", "/v1/admin/events")["events"]?.array ?? []
        #expect(rest.compactMap { $0["client_event_id"]?.string } == ["new"])
    }

    @Test("a clock that nobody vouches for deletes nothing, whatever it says")
    func unsynchronised() throws {
        let fixture = try ServerFixture()
        upload(fixture, 1, visit: "first")
        let ahead = WallClockReading(
            time: fixture.clock.wallClock.time.advanced(byMilliseconds: 400 * 86_400_000),
            isSynchronised: false)
        #expect(try Retention(fixture.store).run(at: ahead) == .unsynchronised)
        #expect(fixture.admin("GET", "/v1/admin/events")["events"]?.array?.count == 2)
        fixture.clock.advance(seconds: 400 * 86_400)
        #expect(try daily(fixture) == .deleted(2))
    }

    @Test("a clock that jumps ten years ahead deletes nothing, unless the next day agrees with it")
    func jump() throws {
        let fixture = try ServerFixture()
        upload(fixture, 1, visit: "first")
        let day: Int64 = 86_400_000
        let start = fixture.clock.wallClock.time
        func run(day number: Int64) throws -> Retention.Outcome {
            // As after a restart: nothing is remembered but what the store has.
            try Retention(fixture.store).run(
                at: WallClockReading(
                    time: start.advanced(byMilliseconds: number * day), isSynchronised: true))
        }
        func count() -> Int? { fixture.admin("GET", "/v1/admin/events")["events"]?.array?.count }
        // Nothing to compare the first day with.
        #expect(try run(day: 0) == .doubted && run(day: 0) == .doubted)
        #expect(try run(day: 1) == .deleted(0))
        #expect(try run(day: 3_650) == .doubted && run(day: 3_650) == .doubted)
        #expect(try run(day: 2) == .deleted(0))
        #expect(count() == 2)
        #expect(try run(day: 3_651) == .doubted)
        #expect(try run(day: 7_300) == .doubted)
        #expect(try run(day: 3_651) == .doubted)
        #expect(count() == 2)
        // A server that was off for so long.
        #expect(try run(day: 3_652) == .deleted(2))
        #expect(count() == 0)
    }

    @Test(
        "a day counts when it is at most a week after the last, or is confirmed on a later one",
        arguments: [
            (nil, nil, 100, false), (nil, 100, 100, false), (nil, 100, 101, true),
            (nil, 100, 107, true), (nil, 100, 108, false), (nil, 100, 99, false),
            (100, nil, 100, true), (100, nil, 107, true), (100, nil, 108, false),
            (100, nil, 50, true), (100, 200, 200, false), (100, 200, 201, true),
            (100, 200, 101, true),
        ] as [(Int64?, Int64?, Int64, Bool)])
    func days(trusted: Int64?, claimed: Int64?, today: Int64, counts: Bool) {
        var days = RetentionDays(trusted: trusted, claimed: claimed)
        #expect(days.accept(today) == counts)
        if counts {
            #expect(days == RetentionDays(trusted: today))
        } else {
            #expect(days.trusted == trusted && days.claimed != nil)
        }
    }

    @Test("it ends between two pieces when it is told to, and goes on the next time")
    func stopping() throws {
        let fixture = try ServerFixture()
        for batch in 0..<3 {
            let events = (0..<500).map { EventText.numbered(batch * 500 + $0 + 1).json }
            #expect(fixture.upload(events, batch: "b-\(batch)").status == 200)
        }
        fixture.clock.advance(seconds: 100 * 86_400)
        var asked = 0
        let first = try daily(
            fixture,
            isStopped: {
                asked += 1
                return asked > 1
            })
        #expect(first == .deleted(1_000))
        #expect(try daily(fixture) == .deleted(500))
    }

    /// Sends one event of a visit, on a day of its own.
    private func send(
        _ fixture: ServerFixture, _ sequence: Int, _ type: String, visit: String,
        utc: String? = "2026-01-31T12:00:00.000Z"
    ) {
        var event = EventText.numbered(sequence, type)
        event.visit = visit
        event.occurredAt = utc
        event.occurredMono = 60_000
        let anchors = """
            [{"boot_id": "boot-1", "mono_ms": 0, "utc": "2020-01-01T00:00:00Z", "source": "gnss"}]
            """
        let answer = fixture.upload([event.json], batch: "b-\(sequence)", anchors: anchors)
        #expect(answer.outcomes == ["accepted"])
        fixture.clock.advance(seconds: 86_400)
    }

    private func visits(_ fixture: ServerFixture) -> [String: String] {
        let rows = fixture.admin("GET", "/v1/admin/visits")["visits"]?.array ?? []
        return Dictionary(
            rows.map { ($0["visit_id"]?.string ?? "", $0["state"]?.string ?? "") },
            uniquingKeysWith: { first, _ in first })
    }

    @Test("a visit that goes on for longer than events are kept stays, with its beginning")
    func open() throws {
        let fixture = try ServerFixture()
        send(fixture, 1, "visit_started", visit: "long", utc: nil)
        fixture.clock.advance(seconds: 100 * 86_400)
        #expect(try daily(fixture) == .deleted(1))
        #expect(visits(fixture) == ["long": "open"])
        let visit = fixture.admin("GET", "/v1/admin/visits")["visits"]?.array?.first
        #expect(visit?["started_at"]?.string == "2020-01-01T00:01:00.000Z")
        let database = try Connection(path: fixture.directory.file("server.db"))
        #expect(try database.first("SELECT count(*) FROM anchors") { $0.int(0) } == 0)
        send(fixture, 2, "visit_ended", visit: "long")
        #expect(visits(fixture) == ["long": "closed"])
        fixture.clock.advance(seconds: 100 * 86_400)
        #expect(try daily(fixture) == .deleted(1))
        #expect(visits(fixture).isEmpty)
    }

    @Test("a visit whose end never came goes, at the latest with the one that followed it")
    func interrupted() throws {
        let fixture = try ServerFixture()
        send(fixture, 1, "visit_started", visit: "lost")
        fixture.clock.advance(seconds: 100 * 86_400)
        #expect(try daily(fixture) == .deleted(1))
        send(fixture, 2, "visit_started", visit: "next")
        send(fixture, 3, "visit_ended", visit: "next")
        #expect(visits(fixture) == ["lost": "interrupted", "next": "closed"])
        fixture.clock.advance(seconds: 100 * 86_400)
        #expect(try daily(fixture) == .deleted(2))
        #expect(visits(fixture).isEmpty)
    }

    @Test("deleting the visit that followed does not open one whose events came later")
    func order() throws {
        let fixture = try ServerFixture()
        send(fixture, 2, "visit_started", visit: "next")
        send(fixture, 3, "visit_ended", visit: "next")
        fixture.clock.advance(seconds: 50 * 86_400)
        send(fixture, 1, "visit_started", visit: "lost")
        #expect(visits(fixture) == ["lost": "interrupted", "next": "closed"])
        fixture.clock.advance(seconds: 50 * 86_400)
        #expect(try daily(fixture) == .deleted(2))
        #expect(visits(fixture) == ["lost": "interrupted", "next": "closed"])
        fixture.clock.advance(seconds: 50 * 86_400)
        #expect(try daily(fixture) == .deleted(1))
        #expect(visits(fixture).isEmpty)
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
