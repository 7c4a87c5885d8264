import Positioning
import Testing
import Timekeeping
import WireFormat

@Suite("Time through gpsd")
struct GPSDTimeTests {
    private static let midnight = UTCTime(
        date: CalendarDate(daysSince1970: 20_514), millisecondsOfDay: 0)

    /// A TPV at so many seconds after midnight, its date moved by whole days.
    private func position(_ second: Int, days: Int64 = 0) -> String {
        let time = Self.midnight.advanced(
            byMilliseconds: Int64(second) * 1000 + days * UTCTime.millisecondsPerDay)
        return #"{"class":"TPV","mode":3,"time":"\#(time.rfc3339)","lat":52.5,"lon":13.4}"# + "\n"
    }

    /// GGA with ZDA once in 30 s: gpsd keeps the old day after midnight until ZDA comes.
    private func sparse(_ second: Int) -> String {
        let text = position(second, days: (0..<25).contains(second) ? -1 : 0)
        // The epoch in which ZDA comes is reported with the old day first.
        return second == 25 ? position(second, days: -1) + text : text
    }

    @Test("at midnight the day goes on, whatever gpsd says until the next ZDA")
    func midnightLive() {
        var live = LiveGPSD()
        for second in -20..<60 { live.send(sparse(second), at: 100_000 + Int64(second) * 1000) }
        live.idle(until: 300_000)
        #expect(live.fixes.count == 80)
        let seconds = live.fixes.compactMap(\.time).map { $0.seconds(since: Self.midnight) }
        #expect(seconds == (-20..<60).map(Double.init))
        #expect(live.fixes.dropFirst(3).allSatisfy { $0.isTimeTrusted })
        #expect(live.decoder.lastTrusted?.time == live.fixes.last?.time)
    }

    @Test("so it does in a log")
    func midnightInFile() {
        let (fixes, counters) = GPSDLines.decode((-20..<60).map(sparse).joined())
        #expect(fixes.count == 80 && counters.coalesced == 1)
        let seconds = fixes.compactMap(\.time).map { $0.seconds(since: Self.midnight) }
        #expect(seconds == (-20..<60).map(Double.init))
    }

    @Test("a date before the floor is moved by 1,024 weeks, and a cold-start date is not trusted")
    func floor() {
        let configuration = GPSDDecoder.Configuration(
            dateFloor: CalendarDate(year: 2026, month: 1, day: 1))
        var live = LiveGPSD(configuration)
        for second in 0..<5 {
            live.send(position(second, days: -7168), at: 1000 + Int64(second) * 1000)
        }
        live.idle(until: 10_000)
        #expect(live.fixes.last?.time == Self.midnight.advanced(byMilliseconds: 4000))
        #expect(live.fixes.last?.integrityFlags.contains(.weekRollover) == true)
        #expect(live.fixes.last?.isTimeTrusted == true)

        var cold = LiveGPSD(configuration)
        let start = UTCTime(date: CalendarDate(daysSince1970: 3657), millisecondsOfDay: 0)
        for second in 0..<10 {
            let time = start.advanced(byMilliseconds: Int64(second) * 1000).rfc3339
            cold.send(
                #"{"class":"TPV","mode":3,"time":"\#(time)","lat":52.5,"lon":13.4}"# + "\n",
                at: 1000 + Int64(second) * 1000)
        }
        cold.idle(until: 20_000)
        #expect(cold.fixes.count == 10 && cold.fixes.allSatisfy { !$0.isTimeTrusted })
    }

    @Test("trust needs three epochs that advance as the uptime does")
    func trust() {
        var live = LiveGPSD()
        for second in 0..<8 { live.send(position(second), at: 1000 + Int64(second) * 1000) }
        live.idle(until: 20_000)
        #expect(
            live.fixes.map(\.isTimeTrusted) == [false, false, false]
                + Array(repeating: true, count: 5))
    }
}
