import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

@Suite("Event batches")
struct EventBatchTests {
    @Test("the same again is a duplicate, the same id with anything else is refused")
    func idempotency() throws {
        let fixture = try ServerFixture()
        let event = EventText("e-1")
        #expect(fixture.upload([event.json]).outcomes == ["accepted"])
        #expect(fixture.upload([event.json]).outcomes == ["duplicate"])
        #expect(fixture.upload([event.json], batch: "b-2").outcomes == ["duplicate"])
        var changes: [EventText] = Array(repeating: event, count: 6)
        changes[0].type = "exit"
        changes[1].fence = "other"
        changes[2].occurredAt = "2026-01-31T12:00:00.001Z"
        changes[3].sequence = 2
        changes[4].mono = nil
        changes[5].extra = ", \"new_field\": 1"
        for change in changes {
            #expect(fixture.upload([change.json]).outcomes == ["id_reused"], "\(change.json)")
        }
        #expect(fixture.admin("GET", "/v1/admin/events")["events"]?.array?.count == 1)
    }

    @Test("how a payload is written does not matter, what it says does")
    func canonicalPayload() throws {
        let fixture = try ServerFixture()
        #expect(fixture.upload([EventText("e-1").json]).outcomes == ["accepted"])
        let rewritten = EventText("e-1").json
            .replacingOccurrences(of: "\n", with: "\t")
            .replacingOccurrences(of: "\"duration_s\": null,", with: "")
            .replacingOccurrences(of: "\"seq\": 1", with: "\"seq\" :1.0")
            .replacingOccurrences(of: "\"depot\"", with: "\"d\\u0065pot\"")
        #expect(rewritten != EventText("e-1").json)
        #expect(fixture.upload([rewritten]).outcomes == ["duplicate"])
    }

    @Test("duplicates within one batch are told one by one")
    func withinBatch() throws {
        let fixture = try ServerFixture()
        var other = EventText("e-1")
        other.type = "exit"
        let answer = fixture.upload([
            EventText("e-1").json, EventText("e-2").json, EventText("e-1").json, other.json,
        ])
        #expect(answer.outcomes == ["accepted", "accepted", "duplicate", "id_reused"])
        #expect(
            answer["results"]?.array?.compactMap { $0["client_event_id"]?.string }
                == ["e-1", "e-2", "e-1", "e-1"])
    }

    @Test("a bad event is refused alone, with the batch's answer complete")
    func poison() throws {
        let fixture = try ServerFixture()
        var rows: [(EventText, String)] = []
        func add(_ code: String, _ change: (inout EventText) -> Void) {
            var event = EventText("bad-\(rows.count)")
            change(&event)
            rows.append((event, code))
        }
        add("unknown_type") { $0.type = "teleported" }
        add("invalid_event") { $0.sequence = 0 }
        add("invalid_event") { $0.sequence = -5 }
        add("invalid_event") { $0.epoch = "" }
        add("invalid_event") { $0.boot = String(repeating: "b", count: 65) }
        add("invalid_event") { $0.fence = String(repeating: "f", count: 129) }
        add("invalid_event") { $0.occurredAt = "yesterday" }
        add("invalid_event") {
            $0.extra = """
                , "position": {"lat": 91, "lon": 0, "quality": "gps", "source": "nmea",
                "integrity_flags": []}
                """
        }
        add("event_too_large") {
            $0.extra = ", \"x\": \"\(String(repeating: "y", count: 17_000))\""
        }
        add("accepted") { $0.occurredAt = "1970-01-01T00:00:00Z" }
        add("accepted") { $0.occurredAt = "2199-12-31T23:59:60Z" }
        let answer = fixture.upload(rows.map(\.0.json))
        #expect(answer.status == 200)
        #expect(answer.outcomes == rows.map(\.1))
        #expect(answer["batch_id"]?.string == "b-1")
        #expect(answer["server_time"]?.string == fixture.clock.wallClock.time.rfc3339)
        #expect(answer["config_revision"]?.number == 0)
    }

    @Test(
        "a batch that is wrong as a whole is refused with its place",
        arguments: [
            ("[]", 422, ""), ("{\"device_id\": \"van-8\"}", 422, "/device_id"),
            ("{\"device_id\": \"van-7\"}", 422, "/batch_id"),
            ("{\"device_id\": \"van-7\", \"batch_id\": \"b\"}", 422, "/events"),
            (
                "{\"device_id\": \"van-7\", \"batch_id\": \"b\", \"events\": [{}]}", 422,
                "/events/0/client_event_id"
            ),
            (
                "{\"device_id\": \"van-7\", \"batch_id\": \"b\", \"events\": [7]}", 422,
                "/events/0"
            ),
            (
                "{\"device_id\": \"van-7\", \"batch_id\": \"b\", \"clock_anchors\": {},"
                    + "\"events\": []}", 422, "/clock_anchors"
            ),
        ])
    func wholeBatch(body: String, status: Int, pointer: String) throws {
        let answer = try ServerFixture().device("POST", "/v1/events/batch", body)
        #expect(answer.status == status)
        #expect(answer["errors"]?.array?.first?["pointer"]?.string == pointer, "\(answer.text)")
    }

    @Test(
        "a number that no device can have refuses its event alone, and nothing else breaks",
        arguments: [Int.min, .min + 1, -100_000_000_000_001, 100_000_000_000_001, .max])
    func impossibleNumbers(mono: Int) throws {
        let fixture = try ServerFixture()
        var event = EventText("bad-1")
        event.mono = mono
        event.occurredAt = nil
        var occurrence = EventText("bad-2")
        occurrence.occurredMono = mono
        var sequence = EventText("bad-3")
        sequence.sequence = .max
        let good = EventText("good")
        let anchors = """
            [{"boot_id": "boot-1", "mono_ms": \(mono), "utc": "2026-01-31T12:00:00Z",
              "source": "gnss"}]
            """
        let answer = fixture.upload(
            [event, occurrence, sequence, good].map(\.json), anchors: anchors)
        #expect(
            answer.outcomes == ["out_of_range", "out_of_range", "out_of_range", "accepted"])
        #expect(fixture.admin("GET", "/v1/admin/events").status == 200)
        #expect(fixture.admin("GET", "/v1/admin/devices").status == 200)
    }

    @Test("rows with impossible numbers that are there already do not break reading")
    func impossibleRows() throws {
        let fixture = try ServerFixture()
        var event = EventText("e-1")
        event.occurredAt = nil
        event.type = "visit_started"
        event.visit = "v-1"
        let anchors = """
            [{"boot_id": "boot-1", "mono_ms": 1000, "utc": "2026-01-31T12:00:00Z",
              "source": "gnss"}]
            """
        #expect(fixture.upload([event.json], anchors: anchors).outcomes == ["accepted"])
        let database = try Connection(path: fixture.directory.file("server.db"))
        for value in [Int64.min, .max] {
            try database.run("UPDATE events SET mono_ms = ?, occurred_mono_ms = ?", value, value)
            try database.run("UPDATE visits SET start_mono_ms = ?", value)
            for path in ["events", "visits", "events?since=2026-01-01T00:00:00Z", "devices"] {
                #expect(fixture.admin("GET", "/v1/admin/\(path)").status == 200, "\(path) \(value)")
            }
        }
        try database.run("UPDATE events SET mono_ms = 5000, occurred_mono_ms = 5000")
        for value in [Int64.min, .max] {
            try database.run("UPDATE anchors SET mono_ms = ?", value)
            #expect(fixture.admin("GET", "/v1/admin/events").status == 200, "anchor \(value)")
        }
    }

    @Test(
        "an anchor or a count that cannot be costs no event",
        arguments: [
            ("[{}, 7, null, SOUND]", "null"),
            ("[{\"boot_id\": 7, \"mono_ms\": \"x\"}, SOUND]", "{}"),
            ("[SOUND]", "{\"pending\": \"many\"}"), ("[SOUND]", "[]"),
        ])
    func badSurroundings(anchors: String, queue: String) throws {
        let fixture = try ServerFixture()
        let anchors = anchors.replacing(
            "SOUND",
            with: """
                {"boot_id": "boot-1", "mono_ms": 0, "utc": "2026-01-01T00:00:00Z", "source": "gnss"}
                """)
        let answer = fixture.device(
            "POST", "/v1/events/batch",
            """
            {"batch_id": "b", "device_id": "van-7", "clock_anchors": \(anchors), "queue": \(queue),
             "events": [\(EventText("e-1").json)]}
            """)
        #expect(answer.outcomes == ["accepted"], "\(answer.text)")
        let kept = try fixture.store.anchors(
            ofDevice: "van-7", of: fixture.workspace.id, after: nil, limit: 10)
        #expect(kept.map(\.bootID) == ["boot-1"])
    }

    @Test("500 events are taken, 501 are 413 so that the agent halves")
    func batchSize() throws {
        let fixture = try ServerFixture()
        let events = (1...501).map { EventText.numbered($0).json }
        #expect(fixture.upload(events).status == 413)
        let answer = fixture.upload(Array(events.dropLast()))
        #expect(answer.outcomes == Array(repeating: "accepted", count: 500))
    }

    @Test("an answer leaves after the commit, and not while the disk is held by another")
    func afterCommit() throws {
        let fixture = try ServerFixture()
        let path = fixture.store.path
        let other = try Connection(path: path, mode: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        let answered = Atomic(false)
        let done = DispatchSemaphore(value: 0)
        let outcomes = Mutex<[String]>([])
        Thread.detachNewThread {
            let answer = fixture.upload([EventText("e-1").json])
            answered.store(true, ordering: .sequentiallyConsistent)
            outcomes.withLock { $0 = answer.outcomes }
            done.signal()
        }
        usleep(300_000)
        let isEarly = answered.load(ordering: .sequentiallyConsistent)
        #expect(!isEarly)
        try other.execute("ROLLBACK")
        done.wait()
        #expect(outcomes.withLock { $0 } == ["accepted"])
        // Visible to a connection of somebody else: committed, not only written.
        let count = try other.first("SELECT count(*) FROM events") { $0.int(0) }
        #expect(count == 1)
    }

    @Test("the writer commits so that a power cut loses nothing: WAL and synchronous FULL")
    func durability() throws {
        let fixture = try ServerFixture()
        let pragmas = try fixture.store.writer.withConnection {
            connection throws(SQLiteError) in
            [try connection.pragma("journal_mode"), try connection.pragma("synchronous")]
        }
        #expect(pragmas == ["wal", "2"])
    }

    @Test("a full disk is 503 and nothing of the batch is there afterwards")
    func fullDisk() throws {
        let fixture = try ServerFixture()
        try fixture.store.writer.withConnection { connection throws(SQLiteError) in
            let pages = try connection.first("PRAGMA page_count") { $0.int(0) } ?? 0
            _ = try connection.setPragma("max_page_count", pages)
        }
        let answer = fixture.upload((1...200).map { EventText.numbered($0).json })
        #expect(answer.status == 503)
        #expect(answer.response.headers["Retry-After"] != nil)
        try fixture.store.writer.withConnection { connection throws(SQLiteError) in
            _ = try connection.setPragma("max_page_count", 1_000_000)
        }
        #expect(fixture.admin("GET", "/v1/admin/events")["events"]?.array?.isEmpty == true)
        let again = fixture.upload((1...200).map { EventText.numbered($0).json })
        #expect(again.outcomes == Array(repeating: "accepted", count: 200))
    }

    @Test("many at once are each answered for their own, and kept once")
    func concurrency() throws {
        let fixture = try ServerFixture()
        let failures = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            // Four uploads compete for each batch.
            let group = index / 4
            let events = (1...10).map { EventText("e-\(group)-\($0)").json }
            let answer = fixture.upload(events, device: "van-\(group)")
            let isComplete =
                answer.outcomes.count == 10
                && answer.outcomes.allSatisfy { $0 == "accepted" || $0 == "duplicate" }
            if !isComplete { failures.wrappingAdd(1, ordering: .relaxed) }
        }
        let count = failures.load(ordering: .relaxed)
        #expect(count == 0)
        let answer = fixture.admin("GET", "/v1/admin/events?limit=1000")
        let ids = answer["events"]?.array?.compactMap { $0["client_event_id"]?.string } ?? []
        #expect(ids.count == 160 && Set(ids).count == 160)
    }

    @Test("a change that fails leaves nothing behind")
    func failure() throws {
        let fixture = try ServerFixture()
        struct Refused: Error {}
        #expect(throws: StoreError.self) {
            try fixture.store.writer.write { connection in
                try connection.run("DELETE FROM keys")
                throw Refused()
            }
        }
        #expect(fixture.device("GET", "/v1/config").status == 200)
    }

    @Test("beyond the month's events the rest waits, duplicates do not count")
    func quota() throws {
        let fixture = try ServerFixture(
            limits: WorkspaceLimits(fences: 100, keys: 25, devices: nil, eventsPerMonth: 3))
        let events = (1...5).map { EventText.numbered($0).json }
        #expect(fixture.upload([events[0], events[1]]).outcomes == ["accepted", "accepted"])
        let answer = fixture.upload(events)
        #expect(
            answer.outcomes == ["duplicate", "duplicate", "accepted", "deferred", "deferred"])
        let last = answer["results"]?.array?.last
        #expect(last?["code"]?.string == "quota_exceeded")
        #expect(last?["retry_after_s"]?.number ?? 0 > 0)
        let usage = fixture.admin("GET", "/v1/admin/usage")
        #expect(usage["events_this_month", "used"]?.number == 3)
        #expect(usage["events_this_month", "limit"]?.number == 3)
        fixture.clock.advance(seconds: 31 * 86_400)
        #expect(fixture.upload([events[3]]).outcomes == ["accepted"])
    }

    @Test("a new device beyond the limit is 403, a known one goes on")
    func deviceLimit() throws {
        let fixture = try ServerFixture(
            limits: WorkspaceLimits(fences: 100, keys: 25, devices: 1, eventsPerMonth: nil))
        #expect(fixture.upload([EventText("e-1").json]).status == 200)
        let answer = fixture.upload([EventText("e-2").json], device: "van-8")
        #expect(answer.status == 403 && answer.code == "device_limit")
        #expect(fixture.upload([EventText("e-2").json]).status == 200)
    }

    @Test("a heartbeat is kept and tells the configuration's revision")
    func heartbeat() throws {
        let fixture = try ServerFixture()
        #expect(fixture.admin("PUT", "/v1/admin/config", "{\"fence_limit\": 9}").status == 200)
        let answer = fixture.device(
            "POST", "/v1/devices/van-7/heartbeat",
            "{\"queue\": {\"pending\": 12, \"dead\": 2}, \"version\": \"1.2\"}",
            headers: ["User-Agent": "geofenced/1.2", "X-User-Id": "member-3"])
        #expect(answer.status == 200 && answer["config_revision"]?.number == 1)
        let device = fixture.admin("GET", "/v1/admin/devices")["devices"]?.array?.first
        #expect(device?["device_id"]?.string == "van-7")
        #expect(device?["user_id"]?.string == "member-3")
        #expect(device?["agent"]?.string == "geofenced/1.2")
        #expect(device?["pending"]?.number == 12 && device?["dead"]?.number == 2)
        #expect(device?["heartbeat"]?["version"]?.string == "1.2")
        #expect(fixture.device("POST", "/v1/devices/van-8/heartbeat", "{}").status == 403)
    }
}
