import TestSupport
import Testing

@testable import Timekeeping

@Suite("TZ strings")
struct DaylightRuleTests {
    static let changes: [(String, String, Int)] = [
        // The last Sunday and the first, plain hours.
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-03-25T00:59:59Z", 3600),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-03-25T01:00:00Z", 7200),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-10-28T00:59:59Z", 7200),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-10-28T01:00:00Z", 3600),
        // The south: daylight time over the turn of the year.
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2041-01-01T00:00:00Z", 39_600),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2041-07-01T00:00:00Z", 37_800),
        // Ireland: what the rule calls daylight time lies an hour behind.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2041-01-01T00:00:00Z", 0),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2041-07-01T00:00:00Z", 3600),
        // Hours below zero and beyond a day.
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2060-03-28T00:59:59Z", -7200),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2060-03-28T01:00:00Z", -3600),
        ("IST-2IDT,M3.4.4/26,M10.5.0", "2060-03-25T23:59:59Z", 7200),
        ("IST-2IDT,M3.4.4/26,M10.5.0", "2060-03-26T00:00:00Z", 10_800),
        // Julian days: without and with the 29th of February.
        ("AAA0BBB,J60/0,J300/0", "2040-02-29T23:59:59Z", 0),
        ("AAA0BBB,J60/0,J300/0", "2040-03-01T00:00:00Z", 3600),
        ("AAA0BBB,59/0,J300/0", "2040-02-29T00:00:00Z", 3600),
        ("AAA0BBB,59/0,J300/0", "2040-02-28T23:59:59Z", 0),
        // Daylight time all year.
        ("EST5EDT,0/0,J365/25", "2040-01-01T04:59:59Z", -14_400),
        ("EST5EDT,0/0,J365/25", "2040-01-01T05:00:00Z", -14_400),
        ("EST5EDT,0/0,J365/25", "2040-07-01T00:00:00Z", -14_400),
        ("XXX3EDT4,0/0,J365/23", "2040-12-31T23:59:59Z", -14_400),
        // An offset of minutes and seconds.
        ("LMT-5:53:20", "2040-01-01T00:00:00Z", 21_200),
    ]

    @Test("offsets follow the rule", arguments: changes)
    func offsets(text: String, time: String, expected: Int) throws {
        let rule = try DaylightRule(posix: text.utf8)
        let instant = try #require(UTCTime(rfc3339: time))
        #expect(rule.offsetSeconds(at: instant.millisecondsSince1970 / 1000) == expected)
    }

    @Test("a rule repeats after 400 years, forwards and backwards")
    func cycles() throws {
        let rule = try DaylightRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3".utf8)
        let cycle: Int64 = 146_097 * 86_400
        let start: Int64 = 2_216_250_000
        for step in stride(from: Int64(0), to: 86_400 * 366, by: 86_400 * 3) {
            let time = start + step
            let offset = rule.offsetSeconds(at: time)
            #expect(rule.offsetSeconds(at: time + 20 * cycle) == offset)
            #expect(rule.offsetSeconds(at: time - 20 * cycle) == offset)
        }
    }

    @Test(
        "what is no rule is refused",
        arguments: [
            "", "UT0", "UTC", "UTC25", "<UTC0", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,,",
            "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
            "CET-1CEST,J0,J365", "CET-1CEST,J366,J1", "CET-1CEST,366,J1",
            "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0x", "CET-1:60",
            "CET-1CEST,M3.5.0/2:,M10.5.0", "CET-99999999999999999999",
        ])
    func refused(_ text: String) {
        _ = thrown(TimeZoneDataError.self) { _ = try DaylightRule(posix: text.utf8) }
    }

    @Test(
        "names stay below their folder",
        arguments: [
            ("Europe/Berlin", true), ("America/Argentina/Ushuaia", true), ("Etc/GMT+12", true),
            ("UTC", true), ("America/Port-au-Prince", true), ("", false), ("/etc/passwd", false),
            ("../etc/passwd", false), ("Europe/../../x", false), ("Europe//Berlin", false),
            ("Europe/", false), ("Europe/.hidden", false), ("tzdata.zi", false),
            ("+1", false), ("Zürich", false), ("A\0B", false),
        ])
    func names(text: String, isName: Bool) {
        #expect((TimeZoneName(text) != nil) == isName)
    }

    @Test("a name has at most 64 bytes")
    func longNames() {
        #expect(TimeZoneName(String(repeating: "A", count: 64)) != nil)
        #expect(TimeZoneName(String(repeating: "A", count: 65)) == nil)
    }
}
