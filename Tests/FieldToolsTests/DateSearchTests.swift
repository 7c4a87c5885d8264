import TestSupport
import Testing
import Timekeeping

@testable import FieldTools

@Suite("Epochs before the first date of a log")
struct DateSearchTests {
    private static func log(_ bodies: [String]) -> [UInt8] {
        bodies.flatMap { body in
            let parity = body.utf8.reduce(UInt8(0), ^)
            let digits = String(parity, radix: 16)
            return Array("$\(body)*\(digits.count == 1 ? "0" : "")\(digits)\r\n".utf8)
        }
    }

    private static func gga(_ time: String) -> String {
        "GPGGA,\(time),4730.0,N,01115.0,E,1,08,1.0,500.0,M,40.0,M,,"
    }

    private static func rmc(_ time: String, _ date: String) -> String {
        "GPRMC,\(time),A,4730.0,N,01115.0,E,1.0,90.0,\(date),,,A"
    }

    private func times(_ bytes: [UInt8], _ day: CalendarDate?) -> [String] {
        var times: [String] = []
        LogDecoder.forEachEpoch(of: bytes, startingOn: day) {
            times.append($0.time?.rfc3339 ?? "-")
        }
        return times
    }

    @Test(
        "the day is counted back over the midnights from the first date",
        arguments: [
            ([gga("235959"), gga("000000"), rmc("000001", "010324")], "2024-02-29T23:59:59.000Z"),
            ([gga("120000"), rmc("120001", "010324")], "2024-03-01T12:00:00.000Z"),
            (
                [
                    gga("220000"), gga("060000"), gga("140000"), gga("220000"),
                    rmc("030000", "030324"),
                ],
                "2024-03-01T22:00:00.000Z"
            ),
            ([gga("235959"), "GPZDA,235959,31,12,2023,00,00"], nil),
            (
                [gga("235958"), gga("235959"), "GPZDA,235959,31,12,2023,00,00"],
                "2023-12-31T23:59:58.000Z"
            ),
            (
                [gga("100000"), "GPZDA,103000,31,12,2023,00,00", gga("110000")],
                "2023-12-31T10:00:00.000Z"
            ),
            // A cold-start date dates nothing.
            (
                [gga("235959"), rmc("000000", "060180"), rmc("000001", "010324")], nil
            ),
            ([gga("235959"), gga("000000")], nil), ([], nil), ([rmc("120001", "010324")], nil),
            (["GPGLL,4730.0,N,01115.0,E,,A,A", rmc("120001", "010324")], nil),
        ] as [([String], String?)])
    func first(bodies: [String], expected: String?) {
        let bytes = Self.log(bodies)
        let first = DateSearch.firstInstant(of: bytes)
        #expect(first?.rfc3339 == expected)
        if let expected { #expect(times(bytes, first?.date).first == expected) }
    }

    @Test("a named day holds until the log says another")
    func named() {
        let bytes = Self.log([
            Self.gga("000000"), Self.gga("120000"), Self.gga("235900"), Self.gga("000000"),
            Self.rmc("000001", "010324"),
        ])
        #expect(
            times(bytes, CalendarDate(year: 2020, month: 2, day: 29)) == [
                "2020-02-29T00:00:00.000Z", "2020-02-29T12:00:00.000Z", "2020-02-29T23:59:00.000Z",
                "2020-03-01T00:00:00.000Z", "2024-03-01T00:00:01.000Z",
            ])
        #expect(times(bytes, nil).prefix(4) == ["-", "-", "-", "-"])
    }
}
