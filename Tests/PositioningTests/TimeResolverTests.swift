import Positioning
import Testing
import Timekeeping

/// A resolver with a clock beside it.
private final class Receiver {
    var resolver: TimeResolver
    var uptime: Int64 = 50_000

    init(floor: String? = "2026-01-01", isRecording: Bool = false, trusted: String? = nil) {
        resolver = TimeResolver(
            floor: floor.map(day), isRecording: isRecording,
            lastTrusted: trusted.map {
                TrustedTime(time: utc($0), uptime: Uptime(milliseconds: 50_000))
            })
    }

    /// An epoch `elapsed` ms after the last one, with a date of its own.
    func dated(_ text: String, after elapsed: Int64 = 1000, isValid: Bool = true)
        -> ResolvedTime
    {
        uptime += elapsed
        let time = utc(text)
        return resolver.resolve(
            timeOfDay: time.millisecondsOfDay, dated: time, isValid: isValid,
            at: Uptime(milliseconds: uptime))
    }

    /// An epoch with a time of day alone.
    func dateless(_ time: String, after elapsed: Int64 = 1000) -> ResolvedTime {
        uptime += elapsed
        return resolver.resolve(
            timeOfDay: utc("1970-01-01T\(time)Z").millisecondsOfDay, dated: nil, isValid: true,
            at: Uptime(milliseconds: uptime))
    }

    func reported(_ text: String, after elapsed: Int64 = 1000) -> ResolvedTime {
        uptime += elapsed
        return resolver.resolve(
            reported: utc(text), isValid: true, at: Uptime(milliseconds: uptime))
    }

    /// Four good epochs that end at this time; the last is trusted.
    func settle(_ text: String) -> ResolvedTime {
        let end = utc(text)
        var last = ResolvedTime()
        for second in (0..<4).reversed() {
            last = dated(end.advanced(byMilliseconds: Int64(second) * -1000).rfc3339)
        }
        return last
    }
}

@Suite("UTC on a machine that may have no clock")
struct TimeResolverTests {
    @Test("three epochs in a row must advance as the uptime does")
    func trust() {
        let receiver = Receiver()
        let trusted = (0..<6).map { receiver.dated("2026-11-30T10:00:0\($0)Z").isTrusted }
        #expect(trusted == [false, false, false, true, true, true])
        #expect(receiver.resolver.lastTrusted?.time == utc("2026-11-30T10:00:05Z"))
    }

    @Test(
        "the advance may differ by 0.2 s or 20 %",
        arguments: [(1250, true), (800, true), (1252, false), (799, false)])
    func tolerance(elapsed: Int64, isTrusted: Bool) {
        let receiver = Receiver()
        var last = ResolvedTime()
        for second in 0..<4 {
            last = receiver.dated("2026-11-30T10:00:0\(second)Z", after: elapsed)
        }
        #expect(last.isTrusted == isTrusted)
    }

    @Test("20 % of a long period, but never over 2 s")
    func longPeriods() {
        let slow = Receiver()
        let times = (0..<4).map { slow.dated("2026-11-30T10:00:\($0)5Z", after: 11_900) }
        #expect(times.last?.isTrusted == true)
        let slower = Receiver()
        let minutes = (0..<4).map { slower.dated("2026-11-30T10:0\($0):00Z", after: 62_001) }
        #expect(minutes.last?.isTrusted == false)
    }

    @Test("epochs without a fix neither build trust nor lose it")
    func voidEpochs() {
        let receiver = Receiver()
        let first = (0..<6).map { receiver.dated("2026-11-30T10:00:0\($0)Z", isValid: false) }
        #expect(first.allSatisfy { !$0.isTrusted && $0.time != nil })
        #expect(receiver.settle("2026-11-30T10:00:09Z").isTrusted)
        #expect(receiver.dated("2026-11-30T10:00:10Z", isValid: false).isTrusted)
    }

    @Test("a jump of more than 2 s drops trust; what follows has to earn it again")
    func jump() {
        let receiver = Receiver()
        #expect(receiver.settle("2026-11-30T10:00:00Z").isTrusted)
        #expect(receiver.dated("2026-11-30T10:00:02.900Z").isTrusted)
        #expect(!receiver.dated("2026-11-30T10:00:06Z").isTrusted)
        #expect(!receiver.dated("2026-11-30T10:00:07Z").isTrusted)
        #expect(!receiver.dated("2026-11-30T10:00:08Z").isTrusted)
        #expect(receiver.dated("2026-11-30T10:00:09Z").isTrusted)
        #expect(!receiver.dated("2026-11-30T09:59:59Z").isTrusted)
    }

    @Test("a step back of up to 5 s is tolerated and flagged")
    func backward() {
        let receiver = Receiver()
        #expect(receiver.settle("2026-11-30T10:00:10Z").isTrusted)
        let back = receiver.dated("2026-11-30T10:00:05Z")
        #expect(back.isTrusted)
        #expect(back.flags == .timeStep)
        #expect(receiver.dated("2026-11-30T10:00:06Z").flags == [])
        let far = receiver.dated("2026-11-30T10:00:00.999Z")
        #expect(!far.isTrusted)
        #expect(far.flags == [])
    }

    @Test(
        "an epoch without a date takes the day nearest to where the time must be",
        arguments: [
            ("2026-11-30T23:59:59Z", Int64(1000), "00:00:00.000", "2026-12-01T00:00:00.000Z"),
            ("2026-12-01T00:00:00Z", 1000, "23:59:59.000", "2026-11-30T23:59:59.000Z"),
            ("2026-11-30T10:00:00Z", 1000, "10:00:01.000", "2026-11-30T10:00:01.000Z"),
            // Three days in a garage: the last date seen is of no use.
            ("2026-11-30T10:00:00Z", 3 * 86_400_000, "10:00:02.000", "2026-12-03T10:00:02.000Z"),
            ("2026-11-30T10:00:00Z", 14 * 3_600_000, "00:00:01.000", "2026-12-01T00:00:01.000Z"),
        ] as [(String, Int64, String, String)])
    func nearestDay(from: String, elapsed: Int64, time: String, expected: String) {
        let receiver = Receiver()
        _ = receiver.settle(from)
        #expect(receiver.dateless(time, after: elapsed).time?.rfc3339 == expected)
        let known = Receiver(trusted: from)
        #expect(known.dateless(time, after: elapsed).time?.rfc3339 == expected)
    }

    @Test("in a recording the last time stands for the uptime")
    func recording() {
        let receiver = Receiver(floor: nil, isRecording: true)
        #expect(receiver.dateless("10:00:00", after: 0).time == nil)
        #expect(
            receiver.dated("2004-08-07T23:59:59Z", after: 0).time == utc("2004-08-07T23:59:59Z"))
        #expect(receiver.dateless("00:00:00", after: 0).time == utc("2004-08-08T00:00:00Z"))
        #expect(receiver.dateless("00:00:01", after: 0).isTrusted == false)
        #expect(receiver.dateless("00:00:02", after: 0).isTrusted)
        #expect(receiver.dateless("00:00:02", after: 0).isTrusted == false)
    }

    @Test("without any date there is no time, whatever the time of day")
    func nothingKnown() {
        let receiver = Receiver()
        #expect(receiver.dateless("10:00:00") == ResolvedTime())
        #expect(
            receiver.resolver.resolve(
                timeOfDay: nil, dated: utc("2026-11-30T10:00:00Z"), isValid: true,
                at: Uptime(milliseconds: 0)) == ResolvedTime())
    }

    @Test("a rolled over date is moved, flagged and may be trusted")
    func rollover() {
        let receiver = Receiver(floor: "2026-03-01")
        var last = ResolvedTime()
        for second in 0..<4 { last = receiver.dated("2007-04-16T10:00:0\(second)Z") }
        #expect(last.time?.rfc3339 == "2026-11-30T10:00:03.000Z")
        #expect(last.flags == .weekRollover)
        #expect(last.isTrusted)
    }

    @Test(
        "what no receiver means is never trusted, nor what follows from it",
        arguments: ["1980-01-06", "2080-01-06", "2013-09-01", "2060-01-01", "1999-08-22"])
    func coldStart(date: String) {
        let receiver = Receiver()
        for second in 0..<8 {
            let resolved = receiver.dated("\(date)T10:00:0\(second)Z")
            #expect(!resolved.isTrusted)
            #expect(resolved.flags == [])
        }
        for second in 0..<8 { #expect(!receiver.dateless("10:00:1\(second)").isTrusted) }
        #expect(receiver.resolver.lastTrusted == nil)
        #expect(receiver.settle("2026-11-30T10:00:30Z").isTrusted)
    }

    @Test("gpsd's jump of 24 h at midnight is mended, a true change of the date is not")
    func reported() {
        let receiver = Receiver()
        _ = receiver.settle("2026-11-30T23:59:58Z")
        #expect(receiver.reported("2026-11-30T23:59:59Z").time == utc("2026-11-30T23:59:59Z"))
        let midnight = receiver.reported("2026-11-30T00:00:00Z")
        #expect(midnight.time == utc("2026-12-01T00:00:00Z"))
        #expect(midnight.isTrusted)
        #expect(receiver.reported("2026-12-01T00:00:01Z").time == utc("2026-12-01T00:00:01Z"))
        let moved = receiver.reported("2026-12-05T00:00:02Z")
        #expect(moved.time == utc("2026-12-05T00:00:02Z"))
        #expect(!moved.isTrusted)
        let fresh = Receiver()
        #expect(fresh.reported("2026-11-30T00:00:00Z").time == utc("2026-11-30T00:00:00Z"))
    }

    @Test("what was made of the epochs is counted")
    func counts() {
        let receiver = Receiver()
        _ = receiver.dateless("10:00:00")
        _ = receiver.settle("2026-11-30T10:00:05Z")
        _ = receiver.dated("2026-11-30T10:00:04Z")
        _ = receiver.dated("2026-11-30T11:00:00Z")
        _ = receiver.dated("1980-01-06T00:00:00Z")
        _ = receiver.dated("2007-04-16T11:00:02Z")
        var expected = TimeResolverCounts()
        expected.undated = 1
        expected.trusted = 2
        expected.untrusted = 6
        expected.backwardSteps = 1
        expected.jumps = 3
        expected.refusedDates = 1
        expected.rollovers = 1
        #expect(receiver.resolver.counts == expected)
    }

    @Test("absurd uptimes and times do not trap")
    func extremes() {
        var resolver = TimeResolver(floor: day("2026-01-01"))
        for time in [UTCTime(millisecondsSince1970: .max), UTCTime(millisecondsSince1970: .min)] {
            for uptime in [Int64.max, 0, .min] {
                _ = resolver.resolve(
                    reported: time, isValid: true, at: Uptime(milliseconds: uptime))
                _ = resolver.resolve(
                    timeOfDay: 5, dated: nil, isValid: true, at: Uptime(milliseconds: uptime))
            }
        }
        #expect(resolver.lastTrusted == nil)
    }
}
