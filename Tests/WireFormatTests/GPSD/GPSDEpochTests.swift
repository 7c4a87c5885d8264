import Geodesy
import Positioning
import Testing
import Timekeeping
import WireFormat

@Suite("Epochs of gpsd")
struct GPSDEpochTests {
    @Test("reports of one epoch are one fix: the most complete, and of equal ones the last")
    func coalescing() throws {
        let text =
            GPSDLines.position(0, mode: 2, #""speed":1"#)
            + GPSDLines.position(0, mode: 3, #""speed":2,"altMSL":50,"eph":5"#)
            + GPSDLines.position(0, mode: 1, place: "")
            + GPSDLines.position(0, mode: 3, #""speed":3,"altMSL":51,"eph":5"#)
            + GPSDLines.position(0, mode: 3, #""speed":4"#) + GPSDLines.position(1)
        let (fixes, counters) = GPSDLines.decode(text)
        #expect(fixes.count == 2 && counters.coalesced == 4)
        let fix = try #require(fixes.first)
        #expect(fix.dimension == .threeDimensional && fix.speed == 3 && fix.altitudeMeters == 51)
        #expect(fix.source == .gpsd && fix.time?.millisecondsSince1970 == GPSDLines.start)
    }

    @Test("a report with the time of the epoch just closed is late, never a second fix")
    func duplicates() {
        let text = (0..<5).map { second in
            GPSDLines.position(Double(second))
                + GPSDLines.position(Double(second), time: false, #""speed":1"#)
                + GPSDLines.position(Double(second))
        }.joined()
        let (fixes, counters) = GPSDLines.decode(text)
        #expect(counters.late == 5)
        let times = fixes.compactMap(\.time)
        #expect(times.count == 5 && Set(times).count == 5)
    }

    @Test("a thousand reports at once are a thousand fixes")
    func queue() {
        var live = LiveGPSD()
        live.send((0..<1000).map { GPSDLines.position(Double($0)) }.joined(), at: 5000)
        live.idle(until: 6000)
        #expect(live.fixes.count == 1000)
        #expect(live.fixes.compactMap(\.time) == live.fixes.compactMap(\.time).sorted())
    }

    @Test("a report without a time is an epoch of its own and joins none that has one")
    func untimed() throws {
        var live = LiveGPSD()
        live.send(GPSDLines.position(0), at: 1000)
        live.send(GPSDLines.position(1, time: false), at: 1010)
        live.send(GPSDLines.position(1, time: false, #""speed":1"#), at: 1020)
        live.send(GPSDLines.position(3, time: false), at: 1030)
        live.send(GPSDLines.position(4), at: 2000)
        live.idle(until: 3000)
        #expect(live.fixes.count == 4)
        #expect(live.fixes.map { $0.time == nil } == [false, true, true, false])
        #expect(live.fixes.map { $0.coordinate != nil } == [true, true, true, true])
        #expect(live.fixes[1].speed == 1)
        #expect(live.fixes[1].uptime == Uptime(milliseconds: 1010))
    }

    @Test("an epoch closes in the pause after it, at the same moment however it is asked")
    func pause() {
        var live = LiveGPSD()
        live.send(GPSDLines.position(0), at: 1000)
        #expect(live.decoder.idleDeadline == Uptime(milliseconds: 1200))
        live.send(GPSDLines.sky(0.9), at: 1100)
        #expect(live.decoder.idleDeadline == Uptime(milliseconds: 1300))
        live.idle(until: 1299)
        #expect(live.fixes.isEmpty)
        live.idle(until: 1300)
        #expect(live.fixes.count == 1 && live.fixes[0].uptime == Uptime(milliseconds: 1000))
        #expect(live.decoder.idleDeadline == nil)
        for step in 0..<4 {
            live.send(GPSDLines.position(1 + Double(step) / 10), at: 2000 + Int64(step) * 100)
        }
        // At 10 Hz the pause is 60 ms.
        #expect(live.decoder.idleDeadline == Uptime(milliseconds: 2360))
    }

    @Test("mode 3 without latitude, NaN and no fix are epochs without a position")
    func void() {
        let text =
            GPSDLines.position(0, place: "") + GPSDLines.position(1, place: #""lat":nan,"lon":1"#)
            + GPSDLines.position(2, mode: 1) + GPSDLines.position(3, place: #""lat":0,"lon":0"#)
            + GPSDLines.position(4, place: #""lat":95,"lon":0"#) + GPSDLines.position(5)
        let (fixes, counters) = GPSDLines.decode(text)
        #expect(fixes.map(\.dimension) == [.none, .none, .none, .none, .none, .threeDimensional])
        #expect(fixes.allSatisfy { ($0.coordinate == nil) == ($0.dimension == .none) })
        #expect(fixes.allSatisfy { $0.time != nil })
        #expect(counters.positionMissing == 2 && counters.nullIsland == 1)
        #expect(counters.positionOutOfRange == 1 && counters.fixes == 1 && counters.epochs == 6)
        #expect(counters.accepted == 2 && counters.rejected == 4)
    }

    @Test("course is nil below 0.5 m/s, and a simulator is told")
    func course() {
        let text =
            GPSDLines.position(0, #""speed":0.4,"track":90"#)
            + GPSDLines.position(1, #""speed":0.5,"track":90,"status":8"#)
        let fixes = GPSDLines.decode(text).fixes
        #expect(fixes.map(\.course) == [nil, 90])
        #expect(fixes.map { $0.integrityFlags.contains(.simulated) } == [false, true])
    }

    @Test("pieces of any size give the same epochs", arguments: [1, 2, 7, 64])
    func pieces(size: Int) {
        let text = (0..<20).map {
            GPSDLines.position(Double($0)) + GPSDLines.sky(0.8) + GPSDLines.errors(Double($0), 2, 3)
        }.joined()
        let whole = GPSDLines.decode(text)
        var decoder = GPSDDecoder(configuration: .init(isFile: true))
        var fixes: [Fix] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            decoder.consume(bytes[start..<min(start + size, bytes.count)]) { fixes.append($0) }
        }
        decoder.finish { fixes.append($0) }
        #expect(fixes == whole.fixes && decoder.counters == whole.counters)
        #expect(fixes.count == 20 && decoder.counters.bytes == bytes.count)
    }

    @Test("a line over the limit is dropped, and the next one is read")
    func overlong() {
        let text =
            #"{"class":"SKY","x":""# + String(repeating: "a", count: 70_000) + "\"}\n"
            + GPSDLines.position(0)
        let (fixes, counters) = GPSDLines.decode(text)
        #expect(fixes.count == 1 && counters.tooLong == 1 && counters.lines == 1)
    }

    @Test("of two receivers one is followed, the other when the first has lost its fix for 10 s")
    func receivers() {
        var live = LiveGPSD()
        let other = #""lat":52.6,"lon":13.5"#
        for second in 0..<60 {
            let at = Int64(second) * 1000 + 1000
            let hasFix = second < 20
            live.send(GPSDLines.position(Double(second), mode: hasFix ? 3 : 1), at: at)
            live.send(
                GPSDLines.position(Double(second), device: "/dev/ttyUSB1", place: other),
                at: at + 5)
        }
        live.idle(until: 100_000)
        let latitudes = live.fixes.map { $0.coordinate?.latitude }
        #expect(latitudes[..<20].allSatisfy { $0 == 52.5 })
        #expect(latitudes[20..<29].allSatisfy { $0 == nil })
        #expect(latitudes[32...].allSatisfy { $0 == 52.6 })
        #expect(live.decoder.device == "/dev/ttyUSB1")
        // The change itself makes no second fix of an epoch.
        let times = live.fixes.compactMap(\.time)
        #expect(Set(times).count == times.count && times == times.sorted())
    }

    @Test("a receiver that says nothing more gives way to one without a fix, too")
    func silentReceiver() {
        var live = LiveGPSD()
        live.send(GPSDLines.position(0), at: 1000)
        for second in 1..<15 {
            let line = GPSDLines.position(Double(second), mode: 1, device: "/dev/ttyUSB1")
            live.send(line, at: Int64(second) * 1000 + 1000)
        }
        #expect(live.decoder.device == "/dev/ttyUSB1")
        #expect(live.decoder.counters.otherDevice == 10)
    }
}
