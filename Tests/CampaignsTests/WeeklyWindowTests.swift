import Campaigns
import TestSupport
import Testing
import Timekeeping

@Suite("Windows")
struct WeeklyWindowTests {
    static func window(
        _ start: Int, _ end: Int, days: Set<Weekday> = Set(Weekday.allCases)
    ) throws -> WeeklyWindow {
        try #require(WeeklyWindow(days: days, hours: .between(start: start, end: end)))
    }

    /// A Monday is day 4 (1970-01-05).
    static func local(_ weekday: Weekday, _ clock: String) throws -> LocalTime {
        let parts = clock.split(separator: ":").compactMap { Int64($0) }
        try #require(parts.count == 3)
        return LocalTime(
            daysSince1970: 4 + Int64(weekday.rawValue - 1),
            millisecondsOfDay: (parts[0] * 3600 + parts[1] * 60 + parts[2]) * 1000 + 999)
    }

    @Test("the first day of 1970 was a Thursday")
    func weekdays() {
        #expect(Weekday(daysSince1970: 0) == .thursday)
        #expect(Weekday(daysSince1970: -1) == .wednesday)
        #expect(Weekday(daysSince1970: 4) == .monday)
        #expect(Weekday(daysSince1970: -7) == .thursday)
        #expect(Weekday(daysSince1970: 20_787) == .monday)
    }

    static let plain: [(Weekday, String, Bool)] = [
        (.monday, "08:59:59", false), (.monday, "09:00:00", true), (.monday, "16:59:59", true),
        (.monday, "17:00:00", false), (.tuesday, "12:00:00", false), (.sunday, "12:00:00", false),
    ]

    @Test("a window begins with its start and ends before its end", arguments: plain)
    func halfOpen(day: Weekday, clock: String, isInside: Bool) throws {
        let window = try Self.window(540, 1020, days: [.monday])
        #expect(window.contains(try Self.local(day, clock)) == isInside)
    }

    static let overnight: [(Weekday, String, Bool)] = [
        (.friday, "21:59:59", false), (.friday, "22:00:00", true), (.friday, "23:59:59", true),
        (.saturday, "00:00:00", true), (.saturday, "05:59:59", true),
        (.saturday, "06:00:00", false), (.saturday, "22:00:00", false),
        (.friday, "05:00:00", false), (.friday, "00:00:00", false),
    ]

    @Test("what is after midnight belongs to the day of the start", arguments: overnight)
    func startDay(day: Weekday, clock: String, isInside: Bool) throws {
        let window = try Self.window(1320, 360, days: [.friday])
        #expect(window.contains(try Self.local(day, clock)) == isInside)
    }

    @Test("a window over midnight of Sunday goes on on Monday")
    func weekTurn() throws {
        let window = try Self.window(1320, 360, days: [.sunday])
        #expect(window.contains(try Self.local(.monday, "01:00:00")))
        #expect(!window.contains(try Self.local(.sunday, "01:00:00")))
    }

    @Test("midnight can be a start and an end")
    func midnight() throws {
        let first = try Self.window(0, 360, days: [.monday])
        #expect(first.contains(try Self.local(.monday, "00:00:00")))
        #expect(!first.contains(try Self.local(.tuesday, "00:00:00")))
        let last = try Self.window(1320, 0, days: [.monday])
        #expect(last.contains(try Self.local(.monday, "23:59:59")))
        #expect(!last.contains(try Self.local(.tuesday, "00:00:00")))
    }

    @Test("a whole day is a day of the calendar")
    func allDay() throws {
        let window = try #require(WeeklyWindow(days: [.saturday, .sunday], hours: .allDay))
        #expect(window.contains(try Self.local(.saturday, "00:00:00")))
        #expect(window.contains(try Self.local(.sunday, "23:59:59")))
        #expect(!window.contains(try Self.local(.monday, "00:00:00")))
    }

    @Test("what means nothing cannot be made")
    func invalid() {
        #expect(WeeklyWindow(hours: .between(start: 60, end: 60)) == nil)
        #expect(WeeklyWindow(hours: .between(start: -1, end: 60)) == nil)
        #expect(WeeklyWindow(hours: .between(start: 0, end: 1440)) == nil)
        #expect(WeeklyWindow(days: [], hours: .allDay) == nil)
    }

    /// Zone, UTC, window's start and end in minutes, inside.
    static let changes: [(String, String, Int, Int, Bool)] = [
        // Berlin, 2026-03-29: 02:00 to 03:00 is left out. A start in it is met at 03:00 ...
        ("Europe/Berlin", "2026-03-29T00:59:59Z", 150, 240, false),
        ("Europe/Berlin", "2026-03-29T01:00:00Z", 150, 240, true),
        // ... an end in it as well ...
        ("Europe/Berlin", "2026-03-29T00:59:59Z", 60, 150, true),
        ("Europe/Berlin", "2026-03-29T01:00:00Z", 60, 150, false),
        // ... and a window within it does not exist.
        ("Europe/Berlin", "2026-03-29T00:59:59Z", 130, 170, false),
        ("Europe/Berlin", "2026-03-29T01:00:00Z", 130, 170, false),
        // Berlin, 2026-10-25: 02:00 to 03:00 comes twice, and so does what lies in it.
        ("Europe/Berlin", "2026-10-25T00:29:59Z", 150, 240, false),
        ("Europe/Berlin", "2026-10-25T00:30:00Z", 150, 240, true),
        ("Europe/Berlin", "2026-10-25T01:00:00Z", 150, 240, false),
        ("Europe/Berlin", "2026-10-25T01:30:00Z", 150, 240, true),
        ("Europe/Berlin", "2026-10-25T02:59:59Z", 150, 240, true),
        ("Europe/Berlin", "2026-10-25T03:00:00Z", 150, 240, false),
        // A night over either change lasts from its start to its end.
        ("Europe/Berlin", "2026-03-29T03:59:59Z", 1320, 360, true),
        ("Europe/Berlin", "2026-03-29T04:00:00Z", 1320, 360, false),
        ("Europe/Berlin", "2026-10-25T04:59:59Z", 1320, 360, true),
        ("Europe/Berlin", "2026-10-25T05:00:00Z", 1320, 360, false),
        // Half an hour at Lord Howe: 02:00 to 02:30 left out, 01:30 to 02:00 twice.
        ("Australia/Lord_Howe", "2026-10-03T15:29:59Z", 120, 180, false),
        ("Australia/Lord_Howe", "2026-10-03T15:30:00Z", 135, 180, true),
        ("Australia/Lord_Howe", "2026-04-04T14:45:00Z", 105, 120, true),
        ("Australia/Lord_Howe", "2026-04-04T15:00:00Z", 105, 120, false),
        ("Australia/Lord_Howe", "2026-04-04T15:15:00Z", 105, 120, true),
        // The far future, by the rule alone.
        ("Europe/Berlin", "2450-07-01T19:59:59Z", 1320, 360, false),
        ("Europe/Berlin", "2450-07-01T20:00:00Z", 1320, 360, true),
    ]

    @Test("the clock on the wall decides when clocks change", arguments: changes)
    func daylight(zone: String, text: String, start: Int, end: Int, isInside: Bool) throws {
        let time = try #require(UTCTime(rfc3339: text))
        let local = try FixtureZones.shared.zone(zone).localTime(at: time)
        let window = try #require(WeeklyWindow(hours: .between(start: start, end: end)))
        #expect(window.contains(local) == isInside)
    }

    @Test("the day before in the calendar counts, also where nobody lived through it")
    func apia() throws {
        // On the 31st of December 2011, a Saturday, Friday had been left out.
        let time = try #require(UTCTime(rfc3339: "2011-12-30T12:00:00Z"))
        let local = try FixtureZones.shared.zone("Pacific/Apia").localTime(at: time)
        #expect(local.weekday == .saturday)
        #expect(try Self.window(1320, 360, days: [.friday]).contains(local))
        #expect(try !Self.window(1320, 360, days: [.thursday]).contains(local))
    }

    @Test("a window is written as people read it")
    func words() throws {
        #expect(try "\(Self.window(1320, 365))" == "22:00-06:05")
        #expect(
            try "\(Self.window(0, 60, days: [.sunday, .monday]))" == "00:00-01:00 mon sun")
        #expect(WeeklyWindow(hours: .allDay)?.description == "all day")
    }
}
