import Positioning
import Testing
import Timekeeping

func utc(_ text: String) -> UTCTime {
    UTCTime(rfc3339: text) ?? UTCTime(millisecondsSince1970: .min)
}

func day(_ text: String) -> CalendarDate { utc("\(text)T00:00:00Z").date }

@Suite("Dates of receivers that lost count of weeks")
struct WeekRolloverTests {
    @Test(
        "1024 weeks are added until the floor is reached",
        arguments: [
            ("2026-03-01", WeekRollover.Verdict.kept), ("2026-11-30", .kept), ("2041-01-01", .kept),
            ("2007-04-15", .moved(days: 7168)),
            ("2000-03-22", .moved(days: 14_336)), ("1990-01-01", .moved(days: 14_336)),
            // More than 15 years past the floor.
            ("2041-12-01", .refused), ("2026-02-28", .refused), ("2079-12-31", .refused),
            // Nobody's date.
            ("1980-01-06", .refused), ("1980-12-31", .refused), ("2080-01-06", .refused),
            ("2013-09-01", .refused), ("1999-08-22", .refused), ("2019-04-07", .refused),
        ])
    func verdicts(date: String, verdict: WeekRollover.Verdict) {
        #expect(WeekRollover.judge(utc("\(date)T12:00:00Z"), floor: day("2026-03-01")) == verdict)
    }

    @Test("without a floor dates stand as they are, but for those of a cold start")
    func noFloor() {
        #expect(WeekRollover.judge(utc("2000-03-22T20:28:27Z"), floor: nil) == .kept)
        #expect(WeekRollover.judge(utc("1980-01-06T00:00:00Z"), floor: nil) == .refused)
        #expect(WeekRollover.isColdStart(day("2013-09-01")))
        #expect(!WeekRollover.isColdStart(day("2013-09-02")))
        #expect(!WeekRollover.isColdStart(day("1979-12-31")))
        #expect(!WeekRollover.isColdStart(day("1981-01-01")))
        #expect(!WeekRollover.isColdStart(day("2081-01-01")))
    }

    @Test("the floor is the later of the build and seven days before the last trusted time")
    func floor() {
        let build = day("2026-03-01")
        let trusted = utc("2026-11-30T12:00:00Z")
        #expect(WeekRollover.floor(build: build, lastTrusted: nil) == build)
        #expect(WeekRollover.floor(build: build, lastTrusted: trusted) == day("2026-11-23"))
        #expect(WeekRollover.floor(build: build, lastTrusted: utc("2026-03-02T00:00:00Z")) == build)
        #expect(WeekRollover.floor(build: nil, lastTrusted: trusted) == day("2026-11-23"))
        #expect(WeekRollover.floor(build: nil, lastTrusted: nil) == nil)
    }
}
