import NMEA
import Positioning
import Testing
import Timekeeping

/// A receiver in real time: bytes at uptimes, and the pauses between them.
private struct Receiver {
    var decoder = NMEADecoder()
    var fixes: [Fix] = []
    /// When each fix came out.
    var emittedAt: [Int64] = []

    mutating func send(_ bodies: [String], at milliseconds: Int64) {
        waitUntil(milliseconds)
        send(bytes: lines(bodies), at: milliseconds)
    }

    mutating func send(bytes: [UInt8], at milliseconds: Int64) {
        decoder.consume(bytes, at: Uptime(milliseconds: milliseconds)) {
            fixes.append($0)
            emittedAt.append(milliseconds)
        }
    }

    /// Nothing arrives until then.
    mutating func waitUntil(_ milliseconds: Int64) {
        while let deadline = decoder.idleDeadline, deadline.milliseconds < milliseconds {
            decoder.idle(at: deadline) {
                fixes.append($0)
                emittedAt.append(deadline.milliseconds)
            }
        }
    }
}

@Suite("Live, an epoch ends with a pause or with the receiver's last sentence")
struct LiveModeTests {
    private static func time(_ second: Int) -> String { "1010\(second < 10 ? "0" : "")\(second)" }

    private static func burst(_ second: Int) -> [String] {
        [
            Sample.rmc(time(second)), Sample.gga(time(second)), Sample.gsa(mode: 3),
            "GPGSV,1,1,01,05,40,083,46",
        ]
    }

    @Test("a pause closes the first epochs, then the learned last sentence does")
    func learned() {
        var receiver = Receiver()
        for second in 0..<6 { receiver.send(Self.burst(second), at: Int64(second) * 1000) }
        receiver.waitUntil(10_000)
        #expect(receiver.emittedAt == [200, 1200, 2200, 3000, 4000, 5000])
        #expect(receiver.fixes.allSatisfy { $0.dimension == .threeDimensional })
    }

    @Test("a list of satellites of changing length is learned by its last part")
    func changingList() {
        var receiver = Receiver()
        for second in 0..<6 {
            let parts = 1 + second % 3
            let list = (1...parts).map { "GPGSV,\(parts),\($0),01,05,40,083,46" }
            receiver.send([Sample.rmc(Self.time(second))] + list, at: Int64(second) * 1000)
        }
        #expect(receiver.emittedAt.suffix(3) == [3000, 4000, 5000])
    }

    @Test("when the mix changes, the pause closes again and no epoch is lost")
    func mixChanges() {
        var receiver = Receiver()
        for second in 0..<5 { receiver.send(Self.burst(second), at: Int64(second) * 1000) }
        for second in 5..<9 {
            receiver.send([Sample.rmc(Self.time(second), status: "V")], at: Int64(second) * 1000)
        }
        receiver.waitUntil(20_000)
        #expect(receiver.fixes.count == 9)
        #expect(receiver.emittedAt.suffix(4) == [5200, 6200, 7200, 8000])
        #expect(receiver.fixes.suffix(4).allSatisfy { $0.dimension == .none })
    }

    @Test("a rare ZDA behind the learned end still tells the day")
    func rareDate() {
        var receiver = Receiver()
        for second in 0..<4 {
            receiver.send([Sample.gga(Self.time(second))], at: Int64(second) * 1000)
        }
        let zda = "GNZDA,\(Self.time(4)),11,03,2021,00,00"
        receiver.send([Sample.gga(Self.time(4)), zda], at: 4000)
        for second in 5..<10 {
            receiver.send([Sample.gga(Self.time(second))], at: Int64(second) * 1000)
        }
        receiver.waitUntil(20_000)
        #expect(receiver.decoder.counters.late == 1)
        #expect(receiver.fixes.prefix(5).allSatisfy { $0.time == nil })
        #expect(receiver.fixes[5].time?.rfc3339 == "2021-03-11T10:10:05.000Z")
        #expect(receiver.fixes.last?.isTimeTrusted == true)
    }

    @Test("a sentence behind the learned end makes the decoder forget it")
    func moreThanLearned() {
        var receiver = Receiver()
        for second in 0..<4 { receiver.send(Self.burst(second), at: Int64(second) * 1000) }
        let more = [Sample.gsa(mode: 3, system: ",2")]
        for second in 4..<6 { receiver.send(Self.burst(second) + more, at: Int64(second) * 1000) }
        receiver.waitUntil(20_000)
        #expect(receiver.fixes.count == 6)
        #expect(receiver.emittedAt.suffix(2) == [4000, 5200])
    }

    @Test("a position behind the learned end is late, and unlearns it")
    func lateBehindLearned() {
        var receiver = Receiver()
        for second in 0..<4 { receiver.send(Self.burst(second), at: Int64(second) * 1000) }
        let more = "GNGLL,4730.0,N,01115.0,E,\(Self.time(4)),A,A"
        receiver.send(Self.burst(4) + [more], at: 4000)
        receiver.send(Self.burst(5), at: 5000)
        receiver.waitUntil(20_000)
        #expect(receiver.decoder.counters.late == 1)
        #expect(receiver.emittedAt.suffix(2) == [4000, 5200])
    }

    @Test(
        "the pause is a fifth of the period, between 60 and 250 ms",
        arguments: [(100, 60), (200, 60), (500, 100), (1000, 200), (2000, 250), (5000, 250)])
    func pause(period: Int, expected: Int64) {
        var receiver = Receiver()
        for index in 0..<2 {
            let milliseconds = index * period
            let time = "10101\(milliseconds / 1000).\(1000 + milliseconds % 1000)"
                .replacing(".1", with: ".")
            receiver.send([Sample.rmc(time)], at: Int64(milliseconds))
        }
        #expect(
            receiver.decoder.idleDeadline == Uptime(milliseconds: Int64(period) + expected))
    }

    @Test("a pause too short, or with nothing open, does nothing")
    func noPause() {
        var receiver = Receiver()
        #expect(receiver.decoder.idleDeadline == nil)
        receiver.send(Self.burst(0), at: 0)
        receiver.decoder.idle(at: Uptime(milliseconds: 199)) { _ in Issue.record("closed early") }
        #expect(receiver.fixes.isEmpty)
        receiver.waitUntil(300)
        #expect(receiver.decoder.idleDeadline == nil)
    }

    @Test("half a sentence holds the epoch open")
    func halfSentence() {
        var receiver = Receiver()
        receiver.send([Sample.rmc(Self.time(0))], at: 0)
        let gga = lines([Sample.gga(Self.time(0))])
        receiver.send(bytes: Array(gga.prefix(30)), at: 150)
        receiver.waitUntil(300)
        receiver.send(bytes: Array(gga.dropFirst(30)), at: 300)
        receiver.waitUntil(1000)
        #expect(receiver.fixes.map(\.altitudeMeters) == [500])
    }

    @Test("the start of a binary frame is given up after a pause")
    func falseHeader() {
        var receiver = Receiver()
        receiver.send(bytes: [0xB5, 0x62, 1, 7, 0xFF, 0x1F] + lines(Self.burst(0)), at: 0)
        #expect(receiver.decoder.counters.accepted == 0)
        receiver.waitUntil(900)
        #expect(receiver.decoder.counters.accepted == 4)
        #expect(receiver.fixes.count == 1)
    }

    @Test("sentences without time end with a pause too")
    func untimed() {
        var receiver = Receiver()
        for second in 0..<3 {
            receiver.send(
                ["GNRMC,,V,,,,,,,,,,N", "GNGGA,,,,,,0,,,,,,,,"], at: Int64(second) * 1000)
        }
        receiver.waitUntil(9000)
        #expect(receiver.fixes.count == 3)
        #expect(receiver.emittedAt.first == 200)
    }

    @Test("the time is trusted once it has gone with the uptime, and a fix has its arrival")
    func trust() {
        var receiver = Receiver()
        for second in 0..<6 { receiver.send(Self.burst(second), at: 7000 + Int64(second) * 1000) }
        receiver.waitUntil(20_000)
        #expect(receiver.fixes.map(\.isTimeTrusted) == [false, false, false, true, true, true])
        #expect(
            receiver.fixes.map(\.uptime.milliseconds) == [7000, 8000, 9000, 10_000, 11_000, 12_000])
        #expect(receiver.decoder.lastTrusted?.uptime.milliseconds == 12_000)
    }
}
