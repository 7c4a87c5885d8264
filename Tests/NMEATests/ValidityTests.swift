import Positioning
import Testing

@testable import NMEA

@Suite("Any evidence against a fix wins")
struct ValidityTests {
    @Test(
        "no fix",
        arguments: [
            [Sample.rmc("101010", status: "V")], [Sample.rmc("101010", status: "")],
            [Sample.rmc("101010", rest: ",,,N")], [Sample.rmc("101010", rest: ",,,X")],
            [Sample.rmc("101010", status: "V", rest: ",,,A"), Sample.gga("101010")],
            [Sample.gga("101010", quality: "0")], [Sample.gga("101010", quality: "")],
            [Sample.gga("101010"), Sample.gga("101010", quality: "0", talker: "GL")],
            [Sample.gga("101010"), "GNGLL,4730.0,N,01115.0,E,101010,V,N"],
            [Sample.gga("101010"), Sample.gsa(mode: 1), Sample.gsa(mode: 1)],
            [Sample.gsa(mode: 1), Sample.gga("101010")],
            ["GNGNS,101010,4730,N,01115,E,NNN,08,1.0,500.0,40.0,,"],
            ["GNGNS,101010,4730,N,01115,E,AX,08,1.0,500.0,40.0,,"],
            ["GNGLL,0000.0000,N,00000.0000,E,101010,A,A"],
            ["GNGLL,0000.0059,S,00000.0059,W,101010,A,A"],
        ])
    func none(bodies: [String]) {
        let decoded = decode(lines(bodies))
        #expect(decoded.counters.rejected == 0)
        #expect(decoded.fixes.map(\.dimension) == [.none])
        #expect(decoded.fixes.map(\.quality) == [.none])
        #expect(decoded.fixes.map(\.coordinate) == [nil])
        #expect(decoded.fixes.map(\.speed) == [nil])
    }

    @Test(
        "a fix all the same",
        arguments: [
            [Sample.rmc("101010", rest: ",,,A,V")], [Sample.rmc("101010", rest: ",,")],
            ["GNGGA,101010,4730.0,N,01115.0,E,1,00,1.0,500.0,M,40.0,M,,"],
            ["GNGGA,101010,4730.0,N,01115.0,E,1,,1.0,500.0,M,40.0,M,,"],
            [Sample.gga("101010"), "GNVTG,90.0,T,,M,10.0,N,18.5,K,N"],
            [Sample.gga("101010"), "GNGSA,A,,,,,,,,,,,,,,,,"],
            [Sample.gga("101010"), Sample.gsa(mode: 1), Sample.gsa(mode: 3)],
            ["GNGLL,0000.0061,N,00000.0000,E,101010,A,A"],
            // Trimble R2: a GNS for each system beside the one for all.
            [
                "GNGNS,101010,4730,N,01115,E,FFN,10,1.0,500.0,40.0,,",
                "GPGNS,101010,,,,,,6,,,,1.0,0",
            ],
        ])
    func good(bodies: [String]) {
        #expect(decode(lines(bodies)).counters.fixes == 1)
    }

    @Test(
        "what was not measured wins, then GGA, then the best letter",
        arguments: [
            ("1", "A", Quality.autonomous), ("2", "A", .differential), ("3", "D", .pps),
            ("4", "A", .rtkFixed), ("5", "R", .rtkFloat), ("9", "A", .other(9)),
            ("6", "A", .estimated), ("1", "E", .estimated), ("7", "A", .manual),
            ("1", "M", .manual),
            ("8", "A", .simulated), ("4", "S", .simulated), ("6", "S", .simulated),
        ])
    func qualities(number: String, letter: String, quality: Quality) {
        let bodies = [
            Sample.gga("101010", quality: number), Sample.rmc("101010", rest: ",,,\(letter)"),
        ]
        for order in [bodies, bodies.reversed()] {
            let fix = decode(lines(order)).fixes.first
            #expect(fix?.quality == quality)
            #expect(fix?.integrityFlags == (quality == .simulated ? .simulated : []))
        }
    }

    @Test(
        "without GGA the best letter of the systems counts",
        arguments: [
            ("A", Quality.autonomous), ("AD", .differential), ("DAAN", .differential),
            ("RF", .rtkFixed), ("FP", .rtkFloat), ("NP", .pps), ("AE", .estimated),
            ("", .autonomous),
        ])
    func letters(letters: String, quality: Quality) {
        let body = "GNGNS,101010,4730,N,01115,E,\(letters),08,1.0,500.0,40.0,,"
        #expect(decode(body).fixes.first?.quality == quality)
    }

    @Test("two dimensions without GSA mean that no altitude came")
    func dimensions() {
        #expect(decode(Sample.rmc("101010")).fixes.first?.dimension == .twoDimensional)
        #expect(decode(Sample.gga("101010")).fixes.first?.dimension == .threeDimensional)
        #expect(
            decode(Sample.gga("101010"), Sample.gsa(mode: 2)).fixes.first?.dimension
                == .twoDimensional)
        #expect(
            decode(Sample.rmc("101010"), Sample.gsa(mode: 3)).fixes.first?.dimension
                == .threeDimensional)
    }
}
