import Foundation
import Testing
import WireFormat

@testable import ReferenceServer

@Suite("Events as a table")
struct EventTableTests {
    @Test("one event, one visit and one key are found by their ids, and those of others are not")
    func one() throws {
        let fixture = try ServerFixture()
        var visit = EventText.numbered(2, "visit_started")
        visit.visit = "visit/1"
        #expect(
            fixture.upload([EventText("e-1").json, visit.json]).outcomes
                == ["accepted", "accepted"])
        let page = fixture.admin("GET", "/v1/admin/events")["events"]?.array ?? []
        let event = fixture.admin("GET", "/v1/admin/events/e-1")
        #expect(event.status == 200 && event.json == page.first)
        let visits = fixture.admin("GET", "/v1/admin/visits")["visits"]?.array ?? []
        let found = fixture.admin("GET", "/v1/admin/visits/visit%2F1")
        #expect(found.status == 200 && found.json == visits.first)
        let keys = fixture.admin("GET", "/v1/admin/keys")["keys"]?.array ?? []
        let key = fixture.admin("GET", "/v1/admin/keys/1")
        #expect(key.status == 200 && key.json == keys.first && keys.count == 2)
        let other = try fixture.anotherWorkspace()
        for path in ["events/e-1", "visits/visit%2F1", "keys/1"] {
            let answer = fixture.admin("GET", "/v1/admin/\(path)", key: other.adminKey)
            #expect(answer.status == 404 && answer.code == "not_found", "\(path)")
        }
        for path in ["events/e-3", "visits/e-1", "keys/99", "keys/x"] {
            #expect(fixture.admin("GET", "/v1/admin/\(path)").status == 404, "\(path)")
        }
    }

    private func lines(_ answer: Answer) -> [String] {
        answer.text.components(separatedBy: "\r\n").dropLast()
    }

    @Test("a line for each event, however many pages they take, filtered and in order")
    func pages() throws {
        let fixture = try ServerFixture()
        for batch in 0..<3 {
            let events = (0..<400).map { EventText.numbered(batch * 400 + $0 + 1).json }
            #expect(fixture.upload(events, batch: "b-\(batch)").status == 200)
        }
        let all = fixture.admin("GET", "/v1/admin/events.csv")
        #expect(all.status == 200)
        #expect(all.response.headers["Content-Type"] == "text/csv; charset=utf-8")
        let rows = lines(all)
        #expect(rows.count == 1_201 && rows[0].hasPrefix("receipt,received_at,device_id,"))
        #expect(Set(rows).count == 1_201)
        let backwards = lines(fixture.admin("GET", "/v1/admin/events.csv?order=desc"))
        #expect(Array(backwards.dropFirst().reversed()) == Array(rows.dropFirst()))
        let none = lines(fixture.admin("GET", "/v1/admin/events.csv?device_id=none"))
        #expect(none == [rows[0]])
        #expect(fixture.admin("GET", "/v1/admin/events.csv?type=x").status == 422)
        let columns = EventTable.columns.count
        #expect(rows.allSatisfy { $0.components(separatedBy: ",").count == columns })
    }

    @Test(
        "a piece looks at so many events and no more, whatever is searched",
        arguments: [false, true])
    func pieces(isDescending: Bool) throws {
        let fixture = try ServerFixture()
        for batch in 0..<3 {
            let events = (0..<400).map { EventText.numbered(batch * 400 + $0 + 1).json }
            #expect(fixture.upload(events, batch: "b-\(batch)").status == 200)
            let other = fixture.upload(
                [EventText("o-\(batch)").json], batch: "o-\(batch)", device: "van-8")
            #expect(other.status == 200)
        }
        var filter = EventFilter()
        filter.deviceID = "van-8"
        filter.isDescending = isDescending
        filter.limit = 100
        var found: [Int] = []
        repeat {
            let (events, next) = try fixture.store.eventPiece(filter, of: fixture.workspace.id)
            found.append(events.count)
            filter.cursor = next
        } while filter.cursor != nil && found.count < 100
        // 1,203 events: twelve full pieces and a rest of three.
        #expect(found.count == 13 && found.reduce(0, +) == 3 && found.allSatisfy { $0 <= 1 })
        let order = isDescending ? "desc" : "asc"
        let rows = lines(
            fixture.admin("GET", "/v1/admin/events.csv?device_id=van-8&order=\(order)"))
        #expect(rows.count == 4 && rows.dropFirst().allSatisfy { $0.contains(",van-8,") })
        let visit = lines(fixture.admin("GET", "/v1/admin/events.csv?visit_id=none"))
        #expect(visit.count == 1)
    }

    @Test(
        "text that a spreadsheet would run is harmless, numbers stay numbers",
        arguments: [
            ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"), ("a=1", "a=1"), ("", ""), ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""), ("a\r\nb", "\"a\r\nb\""), ("\r=1", "\"'\r=1\""),
        ])
    func formulas(text: String, cell: String) {
        let line = EventTable.line([EventTable.harmless(text), "x"])
        #expect(line == "\(cell),x\r\n")
    }

    @Test("what a device sends cannot run either, and a place south of the equator is a number")
    func fromDevice() throws {
        let fixture = try ServerFixture()
        var event = EventText("=cmd|' /C calc'!A0")
        event.fence = "@x"
        event.extra = """
            , "reason": "-2+3", "position": {"lat": -33.5, "lon": 151, "quality": "gps",
            "source": "nmea", "integrity_flags": []}
            """
        #expect(fixture.upload([event.json]).outcomes == ["accepted"])
        let row = lines(fixture.admin("GET", "/v1/admin/events.csv")).last ?? ""
        #expect(row.contains("'=cmd|' /C calc'!A0") && row.contains(",'@x,"))
        #expect(row.contains(",'-2+3,") && row.contains(",-33.5,151.0,"))
    }
}
