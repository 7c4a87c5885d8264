import Foundation
import TestSupport
import Testing
import Timekeeping

/// What `scripts/vectors/zones.py` writes from Python's zoneinfo.
struct ZoneVectors: Decodable {
    var tzdata: String
    var rows: [Row]

    struct Row: Decodable {
        var name: String
        var form: String
        var tzif: String
        var seconds: [Int64]
        var offsets: [Int]

        var bytes: [UInt8]? { Data(base64Encoded: tzif).map { [UInt8]($0) } }
    }

    static func load() throws -> ZoneVectors {
        let path = "\(SharedFolder.projectRoot)/Tests/Fixtures/zones/zones.json"
        let bytes = try #require(SharedFolder.readFile(path), "\(path) is missing")
        return try JSONDecoder().decode(ZoneVectors.self, from: Data(bytes))
    }
}

@Suite("Zone rules against Python's zoneinfo")
struct ZoneVectorTests {
    @Test("60 zones at 200 instants each have the offsets that Python's zoneinfo gives them")
    func offsets() throws {
        let vectors = try ZoneVectors.load()
        #expect(Set(vectors.rows.map(\.name)).count == 60)
        var compared = 0
        for row in vectors.rows {
            let bytes = try #require(row.bytes)
            let rules = try TimeZoneRules(tzif: bytes)
            #expect(row.seconds.count == 200 && row.offsets.count == 200)
            for (second, offset) in zip(row.seconds, row.offsets) {
                let time = UTCTime(millisecondsSince1970: second * 1000)
                let last = UTCTime(millisecondsSince1970: second * 1000 + 999)
                guard rules.offsetSeconds(at: time) == offset,
                    rules.offsetSeconds(at: last) == offset
                else {
                    let found = rules.offsetSeconds(at: time)
                    Issue.record("\(row.name) (\(row.form)) at \(second): \(found), not \(offset)")
                    continue
                }
                compared += 1
            }
        }
        #expect(compared == vectors.rows.count * 200)
    }

    @Test(
        "local times around changes are those on the wall",
        arguments: [
            // Half an hour of daylight time.
            ("Australia/Lord_Howe", "2026-04-04T14:59:59Z", 1, 1 * 60 + 59),
            ("Australia/Lord_Howe", "2026-04-04T15:00:00Z", 1, 1 * 60 + 30),
            // Ireland: the winter is the exception.
            ("Europe/Dublin", "2100-01-15T12:00:00Z", 0, 12 * 60),
            ("Europe/Dublin", "2100-07-15T12:00:00Z", 0, 13 * 60),
            // The 30th of December 2011 was left out.
            ("Pacific/Apia", "2011-12-30T09:59:59Z", -1, 23 * 60 + 59),
            ("Pacific/Apia", "2011-12-30T10:00:00Z", 1, 0),
            // A rule whose change comes the day before.
            ("America/Nuuk", "2060-03-28T00:59:59Z", -1, 22 * 60 + 59),
            ("America/Nuuk", "2060-03-28T01:00:00Z", 0, 0),
        ])
    func wall(name: String, text: String, days: Int, minute: Int) throws {
        let time = try #require(UTCTime(rfc3339: text))
        let local = try FixtureZones.shared.zone(name).localTime(at: time)
        #expect(local.minuteOfDay == minute)
        #expect(local.daysSince1970 - time.daysSince1970 == Int64(days))
    }
}
