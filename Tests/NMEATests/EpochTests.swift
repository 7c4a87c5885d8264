import Testing

@testable import NMEA

@Suite("One receiver epoch is one fix")
struct EpochTests {
    @Test("sentences of one time are one epoch, in any order and of any talkers")
    func oneEpoch() {
        for bodies in [
            [Sample.gga("101010"), Sample.rmc("101010.00")],
            [Sample.rmc("101010.000"), Sample.gga("101010")],
            [
                Sample.gga("101010", talker: "GP"), Sample.gga("101010", talker: "GL"),
                Sample.rmc("101010"),
            ],
            [Sample.rmc("101010.099"), Sample.gga("101010.10")],
        ] {
            let decoded = decode(lines(bodies + [Sample.gga("101011")]))
            #expect(decoded.counters.epochs == 2)
            #expect(decoded.counters.late == 0)
        }
    }

    @Test("times 10 ms apart are two epochs")
    func neighbours() {
        #expect(decode(Sample.gga("101043.99"), Sample.gga("101044.00")).counters.epochs == 2)
    }

    @Test("the last position of an epoch gives it")
    func lastPosition() {
        let decoded = decode(
            Sample.gga("101010"), "GNGLL,4731.0000,N,01115.0000,E,101010,A,A",
            "GNGGA,101010,,,,,1,08,1.0,500.0,M,40.0,M,,")
        #expect(decoded.fixes.first?.coordinate?.latitude == 47 + 31.0 / 60)
        #expect(decoded.fixes.count == 1)
    }

    @Test("a sentence with the time of the epoch just closed is late, never a second fix")
    func late() {
        let decoded = decode(
            Sample.rmc("101010"), Sample.gga("101011"), Sample.gga("101010"), Sample.rmc("101011"))
        #expect(decoded.counters.late == 1)
        #expect(decoded.times == ["2021-03-11T10:10:10.000Z", "2021-03-11T10:10:11.000Z"])
    }

    @Test("the same time on another day is another epoch")
    func nextDay() {
        let decoded = decode(
            Sample.rmc("120000"), Sample.rmc("120500"), Sample.rmc("120000", date: "120321"))
        #expect(decoded.times.last == "2021-03-12T12:00:00.000Z")
        let once = decode(
            Sample.rmc("120000"), Sample.gga("120500"), Sample.rmc("120000", date: "120321"))
        #expect(once.counters.late == 0)
    }

    @Test("midnight moves the day of sentences without a date, and joins across it")
    func midnight() {
        let decoded = decode(
            Sample.rmc("235958"), Sample.gga("235958"), Sample.gga("235959"), Sample.gga("000000"),
            Sample.gga("000001"), Sample.rmc("000002", date: "120321"))
        #expect(
            decoded.times == [
                "2021-03-11T23:59:58.000Z", "2021-03-11T23:59:59.000Z", "2021-03-12T00:00:00.000Z",
                "2021-03-12T00:00:01.000Z", "2021-03-12T00:00:02.000Z",
            ])
        let across = decode(Sample.rmc("235959.995"), Sample.gga("000000.000"))
        #expect(across.times == ["2021-03-11T23:59:59.995Z"])
    }

    @Test("23:59:60 is the first second of the next day")
    func leapSecond() {
        let decoded = decode(
            Sample.rmc("235959.00", date: "311216"), Sample.rmc("235960.00", date: "311216"),
            Sample.rmc("000000.00", date: "010117"), Sample.rmc("000001.00", date: "010117"))
        #expect(
            decoded.times == [
                "2016-12-31T23:59:59.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:01.000Z",
            ])
    }

    @Test("time vanishes with the fix: a sentence without it never joins an epoch that has one")
    func timeVanishes() {
        let none = "GNRMC,,V,,,,,,,,,,N"
        let empty = "GNGGA,,,,,,0,,,,,,,,"
        let decoded = decode(
            Sample.rmc("101010"), Sample.gga("101010"), none, empty, none, empty,
            Sample.gga("101013"))
        #expect(
            decoded.times == ["2021-03-11T10:10:10.000Z", "-", "-", "2021-03-11T10:10:13.000Z"])
        #expect(
            decoded.fixes.map(\.dimension) == [.threeDimensional, .none, .none, .threeDimensional])
    }

    @Test("sentences without a time may hold a position")
    func untimedPositions() {
        let body = "ECGLL,4730.0,N,01115.0,E,,A,D"
        let decoded = decode(body, body, body)
        #expect(decoded.times == ["-", "-", "-"])
        #expect(decoded.counters.fixes == 3)
    }

    @Test("GSA may be short and come several times: union of satellites, greatest mode")
    func activeSatellites() throws {
        let decoded = decode(
            Sample.gga("101010"), Sample.gsa(mode: 3, system: ",1"),
            Sample.gsa(mode: 1, satellites: "02,05,,,,,,,,,,", system: ",1"),
            Sample.gsa(mode: 2, satellites: "01,02,,,,,,,,,,", system: ",3"))
        let fix = try #require(decoded.fixes.first)
        #expect(fix.dimension == .threeDimensional)
        #expect(fix.satellitesUsed == 7)
        #expect(decode(Sample.gga("101010"), "GNGSA,A,2,01,02,03").fixes.first?.satellitesUsed == 3)
        #expect(decode(Sample.gga("101010"), "GNGSA,A,2").fixes.first?.dimension == .twoDimensional)
        let short = decode(
            "GNRMC,101010,A,4730,N,01115,E,,,110321,,", "GPGSA,A,3,04,05,09,1.6,0.9,1.3")
        #expect(short.fixes.first?.satellitesUsed == 3)
        #expect(short.fixes.first?.hdop == 0.9)
        let fourDilutions = decode(Sample.gga("101010"), Sample.gsa(mode: 3, system: ",3.3"))
        #expect(fourDilutions.fixes.first?.satellitesUsed == 4)
    }

    @Test("GSV gives the satellites in view and the strongest signal, each talker once")
    func inView() {
        let decoded = decode(
            Sample.gga("101010"),
            "GPGSV,2,1,05,01,40,083,46,02,17,308,41,12,07,344,39,14,22,228,45,1",
            "GPGSV,2,2,05,15,40,083,,1", "GPGSV,1,1,02,01,40,083,48,02,17,308,41,6",
            "GAGSV,1,1,03,01,40,083,20,02,17,308,51,03,07,344,", "GAGSV,1,1,00,0")
        #expect(decoded.fixes.first?.satellitesInView == 8)
        #expect(decoded.fixes.first?.bestSignal == 51)
        #expect(decoded.counters.accepted == 6)
    }

    @Test("ZDA dates the epoch of its time, or one that it runs ahead of by up to 2 s")
    func dates() {
        let zda = { (time: String) in "GNZDA,\(time),11,03,2021,00,00" }
        for time in ["101010.00", "101011.00", "101012.00"] {
            #expect(decode(Sample.gga("101010"), zda(time)).times == ["2021-03-11T10:10:10.000Z"])
        }
        #expect(decode(Sample.gga("101010"), zda("101012.50")).times == ["-"])
        #expect(decode(Sample.gga("101010"), zda("101009.00")).times == ["-"])
        #expect(decode(zda("101010"), Sample.gga("101010")).times == ["2021-03-11T10:10:10.000Z"])
        #expect(
            decode(Sample.gga("235959"), "GNZDA,000001,12,03,2021,00,00").times
                == ["2021-03-11T23:59:59.000Z"])
        #expect(decode(Sample.gga("101010"), "GNZDA,101010,32,03,2021,00,00").times == ["-"])
        #expect(
            decode(Sample.gga("100000"), zda("103000"), Sample.gga("110000")).times
                == ["-", "2021-03-11T11:00:00.000Z"])
    }
}
