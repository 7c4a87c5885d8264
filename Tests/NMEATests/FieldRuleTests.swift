import Testing

@testable import NMEA

@Suite("Fields are strict: one that breaks its rule rejects its sentence")
struct FieldRuleTests {
    @Test(
        "a good field is read",
        arguments: [
            // degrees and minutes
            ("GNGLL,4730.0000,N,01115.0000,E,101010,A,A", 47.5, 11.25),
            ("GNGLL,4730,N,01115,E,101010,A,A", 47.5, 11.25),
            ("GNGLL,04730.0000,N,01115.0000,E,101010,A,A", 47.5, 11.25),
            ("GNGLL,9000.0000,S,18000.0000,W,101010,A,A", -90.0, -180.0),
            ("GNGLL,0030.0000,S,00030.0000,W,101010,A,A", -0.5, -0.5),
            ("GNGLL,4730.12345678,N,01115.12345678,E,101010,A,A", 47.502057613, 11.252057613),
            ("GNGLL,4730.123456789012345,N,01115.0,E,101010,A,A", 47.50205761315, 11.25),
            // other numbers
            ("GNGGA,101010,4730,N,01115,E,1,08,1.0,-12.5,M,-40.0,M,,", 47.5, 11.25),
            ("GNGGA,101010,4730,N,01115,E,1,08,1.,.5,M,,M,2.0,0000", 47.5, 11.25),
            ("GNGGA,101010,4730,N,01115,E,1,08,1.0,,,,,,,", 47.5, 11.25),
            ("GNRMC,101010,A,4730,N,01115,E,,,110321,,", 47.5, 11.25),
            ("GNRMC,101010,A,4730,N,01115,E,,,110321,1.0,E,A,V", 47.5, 11.25),
            ("GNGNS,101010,4730,N,01115,E,NNA,08,1.0,500.0,40.0,,", 47.5, 11.25),
        ])
    func good(body: String, latitude: Double, longitude: Double) {
        let decoded = decode(body)
        #expect(decoded.counters.accepted == 1)
        #expect(decoded.fixes.count == 1)
        let coordinate = decoded.fixes.first?.coordinate
        #expect(abs((coordinate?.latitude ?? 999) - latitude) < 1e-9)
        #expect(abs((coordinate?.longitude ?? 999) - longitude) < 1e-9)
    }

    @Test(
        "a field that breaks its rule rejects the sentence",
        arguments: [
            // position
            "GNGLL,47300.0000,N,01115.0000,E,101010,A,A",
            "GNGLL,730.0000,N,01115.0000,E,101010,A,A",
            "GNGLL,4730.0000,N,1115.0000,E,101010,A,A",
            "GNGLL,4730.0000,N,001115.0000,E,101010,A,A",
            "GNGLL,4760.0000,N,01115.0000,E,101010,A,A",
            "GNGLL,9000.0001,N,01115.0000,E,101010,A,A",
            "GNGLL,4730.0000,N,18000.0001,E,101010,A,A",
            "GNGLL,-4730.0000,N,01115.0000,E,101010,A,A",
            "GNGLL,+4730.0000,N,01115.0000,E,101010,A,A",
            "GNGLL,47 0.0000,N,01115.0000,E,101010,A,A",
            "GNGLL,4730.0.00,N,01115.0000,E,101010,A,A",
            "GNGLL,4730.0000,n,01115.0000,E,101010,A,A",
            "GNGLL,4730.0000,E,01115.0000,N,101010,A,A",
            "GNGLL,4730.0000,NN,01115.0000,E,101010,A,A",
            "GNGLL,nan,N,01115.0000,E,101010,A,A", "GNGLL,inf,N,01115.0000,E,101010,A,A",
            "GNGLL,0x30,N,01115.0000,E,101010,A,A", "GNGLL,4e3,N,01115.0000,E,101010,A,A",
            // time
            "GNGLL,4730,N,01115,E,240000,A,A", "GNGLL,4730,N,01115,E,106010,A,A",
            "GNGLL,4730,N,01115,E,101060,A,A", "GNGLL,4730,N,01115,E,235961,A,A",
            "GNGLL,4730,N,01115,E,10101,A,A", "GNGLL,4730,N,01115,E,1010100,A,A",
            "GNGLL,4730,N,01115,E,-10101,A,A", "GNGLL,4730,N,01115,E,10:10:10,A,A",
            // other numbers
            "GNRMC,101010,A,4730,N,01115,E,-1.0,90.0,110321,,,A",
            "GNRMC,101010,A,4730,N,01115,E,1.0,9O.0,110321,,,A",
            "GNRMC,101010,AA,4730,N,01115,E,1.0,90.0,110321,,,A",
            "GNGGA,101010,4730,N,01115,E,x,08,1.0,500.0,M,40.0,M,,",
            "GNGGA,101010,4730,N,01115,E,11,08,1.0,500.0,M,40.0,M,,",
            "GNGGA,101010,4730,N,01115,E,1,0.8,1.0,500.0,M,40.0,M,,",
            "GNGGA,101010,4730,N,01115,E,1,08,-1.0,500.0,M,40.0,M,,",
            "GNGGA,101010,4730,N,01115,E,1,08,1.0,5-0.0,M,40.0,M,,",
            "GNGGA,101010,4730,N,01115,E,1,08,1.0,-,M,40.0,M,,",
            "GNGGA,101010,4730,N,01115,E,1,08,1.0,500.0,F,40.0,M,,",
            "GNGGA,101010,4730,N,01115,E,1,08,1.0,1234567890.0,M,40.0,M,,",
            "GNGGA,101010,4730,N,01115,E,1,08,1.0,.,M,40.0,M,,",
            "GNGSA,A,3,01,O2,,,,,,,,,,,1.5,1.0,1.2", "GNGSA,A,x,01,,,,,,,,,,,,1.5,1.0,1.2",
            "GPGSV,1,1,01,01,45,180,4x", "GPGSV,1,1,01,01,-5,180,40", "GPGSV,1,1,01,01,4.5.,180,40",
            "GNVTG,90.0,T,,M,10.0,M,18.5,K,A", "GNVTG,-90.0,T,,M,10.0,N,18.5,K,A",
            "GNGST,101010,1.0,,,,-1.0,1.0,1.0", "PGRME,5.0,F,5.0,M,7.0,M",
        ])
    func broken(body: String) {
        let counters = decode(body).counters
        #expect(counters.accepted == 0)
        #expect(counters.malformed == 1)
        #expect(counters.fixes == 0)
    }

    @Test(
        "the number of fields has to be right",
        arguments: [
            ("GNRMC,101010,A,4730,N,01115,E,,,110321", 2...4),
            ("GNGNS,101010,4730,N,01115,E,A,8,1,2,3", 2...3),
            ("GNGGA,101010,4730,N,01115,E,1,08,1.0,5,M,4,M", 1...3),
            ("GNGLL,4730,N,01115,E,101010", 1...2), ("GNVTG,90.0,T,,M,10.0,N,18.5", 1...2),
            ("GNVTG,90.0,,10.0", 1...1), ("GNGST,101010,1.0,,,,1.0,1.0", 1...1),
            ("GNGBS,101010,1.0,1.0,1.0,,,", 1...3), ("GNZDA,101010,11,03", 1...3),
            ("GNGSA,A", 1...28), ("GPGSV,1,1", 1...18),
        ])
    func counts(body: String, accepted: ClosedRange<Int>) {
        for extra in 0...accepted.upperBound + 1 {
            let text = body + String(repeating: ",", count: extra)
            let isAccepted = decode(text).counters.accepted == 1
            #expect(isAccepted == accepted.contains(extra), "\(text)")
        }
    }

    @Test(
        "a wrong date is nil and costs nothing else",
        arguments: ["2208-1", "320121", "290221", "110021", "1103211", "", "abcdef"])
    func wrongDate(date: String) {
        let decoded = decode(Sample.rmc("101010", date: date))
        #expect(decoded.counters.accepted == 1)
        #expect(decoded.times == ["-"])
        #expect(decoded.fixes.first?.coordinate != nil)
    }

    @Test(
        "fillers mean that there is nothing",
        arguments: [
            "GNGGA,101010,36000.0,N,01115.0000,E,1,08,1.0,500.0,M,40.0,M,,",
            "GNGGA,101010,4730.0,N,36000.0000,E,1,08,1.0,500.0,M,40.0,M,,",
            "GNGGA,101010,,,,,1,08,1.0,500.0,M,40.0,M,,",
            "GNGGA,101010,4730.0,,01115.0000,E,1,08,1.0,500.0,M,40.0,M,,",
        ])
    func fillers(body: String) {
        let decoded = decode(body)
        #expect(decoded.counters.accepted == 1)
        #expect(decoded.fixes.map(\.coordinate) == [nil])
        #expect(decoded.fixes.map(\.dimension) == [.none])
    }

    @Test(
        "a filler is no dilution of precision",
        arguments: [
            ("0.00", nil), ("50.00", nil), ("50.0", nil), ("89.99", nil), ("99.99", nil), ("", nil),
            ("89.98", 89.98), ("0.01", 0.01), ("49.99", 49.99),
        ])
    func dilutions(field: String, hdop: Double?) {
        let body = "GNGGA,101010,4730.0,N,01115.0000,E,1,08,\(field),500.0,M,40.0,M,,"
        #expect(decode(body).fixes.first?.hdop == hdop)
    }

    @Test("the coordinates of a void sentence are not read")
    func voidCoordinates() {
        for body in [
            "GNRMC,101010,V,xx,?,yy,!,10.0,90.0,110321,,,N", "GNGLL,xx,?,yy,!,101010,V,N",
            "GNGGA,101010,99,N,99,E,0,08,1.0,500.0,M,40.0,M,,",
            "GNGGA,101010,99,N,99,E,,08,1.0,500.0,M,40.0,M,,",
            "GNGNS,101010,99,N,99,E,NN,08,1.0,500.0,40.0,,",
            "GNRMC,101010,A,99,N,99,E,10.0,90.0,110321,,,N",
        ] {
            let decoded = decode(body)
            #expect(decoded.counters.accepted == 1, "\(body)")
            #expect(decoded.fixes.map(\.coordinate) == [nil])
        }
    }
}
