import Positioning
import Testing

@testable import NMEA

@Suite("Accuracy is a 68 % radius, and says where it comes from")
struct AccuracyTests {
    private static let pubx =
        "PUBX,00,101010.00,4730.0,N,01115.0,E,54.7,G3,2.1,3.0,0.007,77.52,-0.007,,0.92,1.19,0.77,9,0,0"
    private static let gst = "GNGST,101010.00,21,,,,1.2,1.3,2.1"
    private static let gbs = "GNGBS,101010.00,1.6,1.4,3.2,03,,-21.4,3.8,1,0"
    private static let pgrme = "PGRME,5.0,M,7.0,M,9.0,M"

    @Test(
        "the best source wins, in any order",
        arguments: [
            ([pubx, pgrme, gst, gbs], 2.1, HorizontalAccuracy.Provenance.receiver),
            ([pgrme, gst, gbs], 6.4, .receiver), ([gst, gbs], 1.893023, .gst),
            ([gbs], 2.274851, .gst), ([], 5.35, .hdop),
            (["GNGST,101010.00,,3.0,4.0,-1.1,,,2.1"], 5.35, .gst),
            (["GNGST,101010.00,,,,,0.0,0.0,0.0"], 5.35, .hdop), (["PGRME,,M,,M,,M"], 5.35, .hdop),
            ([pubx.replacing("G3", with: "NF")], 5.35, .hdop),
        ])
    func order(bodies: [String], meters: Double, provenance: HorizontalAccuracy.Provenance) throws {
        for order in [bodies, bodies.reversed()] {
            let decoded = decode(lines([Sample.gga("101010")] + order))
            #expect(decoded.counters.rejected == 0)
            let accuracy = try #require(decoded.fixes.first?.horizontalAccuracy)
            #expect(abs(accuracy.meters - meters) < 1e-5)
            #expect(accuracy.provenance == provenance)
        }
    }

    @Test(
        "HDOP counts by the range error of the quality",
        arguments: [
            ("1", 5.35), ("2", 3.21), ("5", 0.535), ("4", 0.0535), ("6", 5.35), ("9", 5.35),
        ])
    func rangeError(quality: String, meters: Double) throws {
        let fix = try #require(decode(Sample.gga("101010", quality: quality)).fixes.first)
        #expect(abs((fix.horizontalAccuracy?.meters ?? 0) - meters) < 1e-9)
    }

    @Test("nobody said anything: nil")
    func unknown() {
        #expect(decode(Sample.rmc("101010")).fixes.first?.horizontalAccuracy == nil)
    }

    @Test("what names its time joins the epoch of that time only")
    func ownTime() {
        let other = Self.gst.replacing("101010", with: "101011")
        let decoded = decode(
            Sample.gga("101010"), other, Sample.gga("101011"), Sample.gga("101012"))
        #expect(decoded.fixes.map { $0.horizontalAccuracy?.provenance } == [.hdop, .gst, .hdop])
        let late = decode(
            Sample.gga("101009"), Sample.gga("101010"), Self.gst.replacing("10.00", with: "09.00"))
        #expect(late.counters.late == 1)
        #expect(late.fixes.map { $0.horizontalAccuracy?.provenance } == [.hdop, .hdop])
    }

    @Test(
        "speed and course come from RMC, else VTG; below 0.5 m/s there is no course",
        arguments: [
            ("GNVTG,45.0,T,44.0,M,10.0,N,18.5,K,A", 5.144444, 45.0),
            ("GNVTG,45.0,44.0,10.0,18.5", 5.144444, 45.0), ("GNVTG,45.0,T,,M,,N,18.0,K", 5.0, 45.0),
            ("GNVTG,360.0,T,,M,10.0,N,18.5,K,A", 5.144444, 0.0),
            ("GNVTG,45.0,T,,M,0.97,N,1.8,K,A", 0.499011, nil),
            ("GNVTG,655.35,T,,M,10.0,N,18.5,K,A", 5.144444, nil),
        ])
    func velocity(body: String, speed: Double, course: Double?) throws {
        let fix = try #require(decode(Sample.gga("101010"), body).fixes.first)
        #expect(abs((fix.speed ?? -1) - speed) < 1e-5)
        #expect(fix.course == course)
        let both = try #require(decode(Sample.rmc("101010"), body).fixes.first)
        #expect(both.course == 90)
    }
}
