import Foundation
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

@Suite("Reading events and what follows from them")
struct EventReadingTests {
    @Test("pages follow one another without a gap, both ways")
    func pages() throws {
        let fixture = try ServerFixture()
        #expect(fixture.upload((1...25).map { EventText.numbered($0).json }).status == 200)
        for order in ["asc", "desc"] {
            var sequences: [Int] = []
            var cursor: String? = ""
            while let place = cursor {
                let query = "order=\(order)&limit=10" + (place.isEmpty ? "" : "&cursor=\(place)")
                let page = fixture.admin("GET", "/v1/admin/events?\(query)")
                sequences +=
                    page["events"]?.array?.compactMap { $0["seq"]?.number }.map { Int($0) } ?? []
                cursor = page["next"]?.string
            }
            #expect(sequences == (order == "asc" ? Array(1...25) : (1...25).reversed()))
        }
    }

    @Test("events are filtered by what they say")
    func filters() throws {
        let fixture = try ServerFixture()
        var events = (1...4).map { EventText.numbered($0) }
        events[1].type = "exit"
        events[2].fence = "yard"
        events[3].visit = "v-1"
        events[3].occurredAt = "2026-02-01T00:00:00Z"
        #expect(fixture.upload(events.map(\.json)).status == 200)
        #expect(fixture.upload([EventText("x").json], device: "van-8").status == 200)
        let rows: [(String, Int)] = [
            ("", 5), ("device_id=van-8", 1), ("type=exit", 1), ("fence_id=yard", 1),
            ("visit_id=v-1", 1), ("since=2026-02-01T00:00:00Z", 1),
            ("until=2026-02-01T00:00:00Z", 4), ("device_id=van-7&type=enter&fence_id=depot", 2),
            ("queue_epoch=00112233445566778899aabbccddeeff", 5), ("queue_epoch=x", 0),
            ("fence_id=%27%20OR%201=1", 0),
        ]
        for (query, count) in rows {
            let answer = fixture.admin("GET", "/v1/admin/events?\(query)")
            #expect(answer["events"]?.array?.count == count, "\(query)")
        }
        #expect(fixture.admin("GET", "/v1/admin/events?type=x").status == 422)
        #expect(fixture.admin("GET", "/v1/admin/events?since=now").status == 422)
        #expect(fixture.admin("GET", "/v1/admin/events?limit=1001").status == 422)
    }

    @Test("an event is answered as it came, with what the server knows of it")
    func content() throws {
        let fixture = try ServerFixture()
        var event = EventText("e-1")
        event.extra = ", \"future\": {\"field\": [1, 2]}"
        #expect(fixture.upload([event.json], batch: "b-9").status == 200)
        let found = fixture.admin("GET", "/v1/admin/events")["events"]?.array?.first
        #expect(found?["receipt"]?.number == 1)
        #expect(found?["batch_id"]?.string == "b-9" && found?["device_id"]?.string == "van-7")
        #expect(found?["received_at"]?.string == fixture.clock.wallClock.time.rfc3339)
        #expect(found?["epoch_ordinal"]?.number == 1)
        #expect(found?["future"]?["field"]?.array?.count == 2)
        #expect(found?["occurred_at"]?.string == "2026-01-31T12:00:00.000Z")
        #expect(found?["time_source"]?.string == "device")
    }

    @Test(
        "a time known by uptime only is resolved from an anchor of the same boot, also a late one")
    func resolution() throws {
        let fixture = try ServerFixture()
        var event = EventText("e-1")
        event.occurredAt = nil
        event.mono = 70_000
        event.occurredMono = 60_000
        var elsewhere = EventText("e-2")
        elsewhere.occurredAt = nil
        elsewhere.boot = "boot-2"
        #expect(fixture.upload([event.json, elsewhere.json]).status == 200)
        func times(_ index: Int) -> [String?] {
            let found = fixture.admin("GET", "/v1/admin/events")["events"]?.array?[index]
            return ["occurred_at", "detected_at", "time_source"].map {
                found?[$0]?.string
            }
        }
        #expect(times(0) == [nil, nil, "none"])
        let anchors = """
            [{"boot_id": "boot-1", "mono_ms": 100000, "utc": "2026-01-31T10:00:00Z",
              "source": "gnss"},
             {"boot_id": "boot-1", "mono_ms": 61000, "utc": "2026-01-31T11:00:00Z",
              "source": "disciplined"},
             {"boot_id": "boot-1", "mono_ms": 10000000, "utc": "2026-01-31T13:00:00Z",
              "source": "gnss"}]
            """
        let alone = fixture.upload([], batch: "b-2", anchors: anchors)
        #expect(alone.status == 200 && alone["batch_id"]?.string == "b-2")
        #expect(alone["results"]?.array == [] && alone["config_revision"]?.number == 0)
        #expect(fixture.upload([], batch: "b-3", anchors: anchors).status == 200)
        #expect(
            times(0) == ["2026-01-31T09:59:20.000Z", "2026-01-31T09:59:30.000Z", "anchor"])
        #expect(times(1) == [nil, nil, "none"])
        let answer = fixture.admin("GET", "/v1/admin/events?until=2026-01-31T10:00:00Z")
        #expect(answer["events"]?.array?.count == 1)
    }

    @Test("times are compared as moments, with whatever precision and offset they were written")
    func precision() throws {
        let fixture = try ServerFixture()
        // As texts these would stand in another order.
        let times = [
            "2026-01-31T12:00:00.25Z", "2026-01-31T12:00:00.2509999Z",
            "2026-01-31T13:00:00.251+01:00",
            "2026-01-31T12:00:01Z", "2026-01-31T07:00:01.000000001-05:00",
        ]
        for (index, time) in times.enumerated() {
            var event = EventText("e-\(index)")
            event.sequence = index + 1
            event.visit = "v-\(index)"
            event.type = "visit_started"
            event.occurredAt = time
            #expect(fixture.upload([event.json]).outcomes == ["accepted"])
        }
        let rows: [(query: String, count: Int)] = [
            ("since=2026-01-31T12:00:00.250Z", 5), ("since=2026-01-31T12:00:00.251Z", 3),
            ("until=2026-01-31T12:00:00.251Z", 2), ("until=2026-01-31T12:00:00.252Z", 3),
            ("since=2026-01-31T12:00:00.252Z&until=2026-01-31T12:00:01.001Z", 2),
            ("until=2026-01-31T12:00:01Z", 3),
        ]
        for row in rows {
            let found = fixture.admin("GET", "/v1/admin/events?\(row.query)")["events"]?.array
            #expect(found?.count == row.count, "\(row.query)")
        }
        let visits = fixture.admin("GET", "/v1/admin/visits")["visits"]?.array ?? []
        #expect(
            visits.compactMap { $0["started_at"]?.string } == [
                "2026-01-31T12:00:00.250Z", "2026-01-31T12:00:00.250Z", "2026-01-31T12:00:00.251Z",
                "2026-01-31T12:00:01.000Z", "2026-01-31T12:00:01.000Z",
            ])
        let table = fixture.admin("GET", "/v1/admin/events.csv").text
        #expect(table.components(separatedBy: ",2026-01-31T12:00:01.000Z,").count == 3)
    }

    @Test("visits and occupancy come out the same in whatever order events arrive")
    func arrivalOrder() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let events = story()
        let expected = try outcome(of: events.map { [$0] })
        #expect(expected.visits.count == 3)
        #expect(expected.inside == ["yard"])
        for _ in 0..<12 {
            var shuffled = events
            shuffled.shuffle(using: &generator)
            // The epochs keep their order of first receipt, which is what defines it.
            let first = shuffled.firstIndex { $0.epoch == events[0].epoch } ?? 0
            shuffled.swapAt(0, first)
            let cut = Int(generator.next() % UInt64(shuffled.count))
            let found = try outcome(of: [Array(shuffled[..<cut]), Array(shuffled[cut...])])
            #expect(found.visits == expected.visits)
            #expect(found.inside == expected.inside)
        }
    }

    /// Two days of a device: a whole visit, one whose end is lost with the queue, one that goes on.
    private func story() -> [EventText] {
        var events: [EventText] = []
        func add(
            _ type: String, _ fence: String, visit: String? = nil, epoch: String, minute: Int,
            duration: Double? = nil
        ) {
            var event = EventText("e-\(events.count)")
            event.type = type
            event.epoch = epoch
            event.sequence = events.filter { $0.epoch == epoch }.count + 1
            event.fence = fence
            event.visit = visit
            event.duration = duration
            event.occurredAt = "2026-01-31T12:\(minute):00.000Z"
            events.append(event)
        }
        add("enter", "depot", epoch: "old", minute: 10)
        add("dwell", "depot", visit: "v-1", epoch: "old", minute: 15)
        add("visit_started", "depot", visit: "v-1", epoch: "old", minute: 15)
        add("exit", "depot", visit: "v-1", epoch: "old", minute: 20, duration: 600)
        add("visit_ended", "depot", visit: "v-1", epoch: "old", minute: 20, duration: 600)
        add("enter", "depot", epoch: "old", minute: 30)
        add("visit_started", "depot", visit: "v-2", epoch: "old", minute: 35)
        add("state_reset", "depot", epoch: "new", minute: 40)
        add("exit", "depot", epoch: "new", minute: 41)
        add("enter", "depot", epoch: "new", minute: 42)
        add("visit_started", "depot", visit: "v-3", epoch: "new", minute: 47)
        add("visit_ended", "depot", visit: "v-3", epoch: "new", minute: 50, duration: 480)
        add("exit", "depot", epoch: "new", minute: 50)
        add("enter", "yard", epoch: "new", minute: 55)
        return events
    }

    private func outcome(of batches: [[EventText]]) throws -> (visits: [String], inside: [String]) {
        let fixture = try ServerFixture()
        for batch in batches { #expect(fixture.upload(batch.map(\.json)).status == 200) }
        let visits = fixture.admin("GET", "/v1/admin/visits")["visits"]?.array ?? []
        let lines = visits.map { visit in
            ["visit_id", "fence_id", "state", "started_at", "ended_at"]
                .map { visit[$0]?.string ?? "-" }.joined(separator: " ")
                + " \(visit["duration_s"]?.number ?? -1)"
        }
        let device = fixture.admin("GET", "/v1/admin/devices")["devices"]?.array?.first
        return (lines.sorted(), device?["inside"]?.array?.compactMap(\.string) ?? [])
    }

    @Test(
        "the state of a visit says what is known of it",
        arguments: [
            (["visit_started"], "open"), (["visit_started", "visit_ended"], "closed"),
            (["visit_ended"], "headless"), (["visit_started", "later"], "interrupted"),
            (["later", "visit_started"], "interrupted"),
            (["visit_started", "later", "visit_ended"], "closed"),
        ])
    func visitState(types: [String], state: String) throws {
        let fixture = try ServerFixture()
        let sequences = ["visit_started": 1, "visit_ended": 2, "later": 3]
        for type in types {
            var event = EventText(type)
            event.type = type == "later" ? "visit_started" : type
            event.visit = type == "later" ? "v-2" : "v-1"
            event.sequence = sequences[type] ?? 0
            #expect(fixture.upload([event.json]).outcomes == ["accepted"])
        }
        let visits = fixture.admin("GET", "/v1/admin/visits")["visits"]?.array ?? []
        let found = visits.first { $0["visit_id"]?.string == "v-1" }
        #expect(found?["state"]?.string == state)
        #expect(
            fixture.admin("GET", "/v1/admin/visits?state=\(state)")["visits"]?.array?
                .contains { $0["visit_id"]?.string == "v-1" } == true)
    }

    @Test("missing and doubly claimed sequence numbers are counted for each epoch")
    func gaps() throws {
        let fixture = try ServerFixture()
        var clone = EventText("clone")
        clone.sequence = 2
        clone.boot = "boot-9"
        let events = [1, 2, 5].map { EventText.numbered($0).json } + [clone.json]
        #expect(fixture.upload(events).status == 200)
        let device = fixture.admin("GET", "/v1/admin/devices")["devices"]?.array?.first
        let epoch = device?["epochs"]?.array?.first
        #expect(epoch?["events"]?.number == 4 && epoch?["last_seq"]?.number == 5)
        #expect(epoch?["missing"]?.number == 2 && epoch?["conflicts"]?.number == 1)
    }
}
