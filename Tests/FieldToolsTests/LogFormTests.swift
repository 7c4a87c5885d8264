import FieldTools
import Testing

@Suite("The form of a log is known from its beginning")
struct LogFormTests {
    @Test(
        "each form, and when it is known",
        arguments: [
            ("$GPGGA,1", LogForm.nmea), ("\n\n  $GP", .nmea), ("+GPSRD:$GPGGA,1", .nmea),
            ("NMEA,$GPGGA,1*00,1\n", .nmea), ("2026-01-01T00:00:00Z $GPRMC,\n", .nmea),
            ("\u{FEFF}$GPGGA", .nmea), ("rubbish\n$GPGGA", .nmea),
            ("{\"class\":\"VERSION\"}\n{\"class\":\"TPV\",\"mode\":3}\n", .track),
            ("{\"class\":\"VERSION\"}\n{\"class\":\"WATCH\"}\n$GPGGA,1\n", .nmea),
            ("{\"class\":\"VERSION\"}\n", nil), ("<?xml version=\"1.0\"?><gpx>", .track),
            ("<gpx creator=\"x\">", .track), ("<134>", .nmea), ("<abcd<gpx>", .nmea), ("<g", nil),
            ("time,lat,lon\n", .track), ("Time;Latitude;Longitude\n1;2;3", .track),
            ("time,lat,lo", nil), ("a,b,c\n", .nmea), ("x", nil), ("", nil),
            ("{\"k\":\"header\",\"io\":\"in\",\"m\":0}\n", .recording), ("{\"k\":\"head", nil),
            ("{\"k\":\"raw\",\"io\":\"in\",", nil),
        ])
    func forms(head: String, form: LogForm?) {
        #expect(LogForm.judge(Array(head.utf8), isWhole: false) == form)
    }

    @Test("gzip by its magic, and UTF-16 as the bytes that it holds")
    func binary() {
        #expect(LogForm.judge([0x1F, 0x8B, 8], isWhole: false) == .gzip)
        for text in [
            "$GPGGA,1", "<gpx creator=\"x\">", "time,lat,lon\n", "{\"k\":\"x\",\"io\":\"in\"}\n",
        ] {
            let bytes = Array(text.utf8)
            let low: [UInt8] = [0xFF, 0xFE] + bytes.flatMap { byte -> [UInt8] in [byte, 0] }
            let high: [UInt8] = [0xFE, 0xFF] + bytes.flatMap { byte -> [UInt8] in [0, byte] }
            let plain = LogForm.judge(bytes, isWhole: false)
            #expect(plain != nil)
            #expect(LogForm.judge(low, isWhole: false) == plain)
            #expect(LogForm.judge(high, isWhole: false) == plain)
        }
    }

    @Test(
        "the end, or enough of it, decides what was open",
        arguments: ["", "x", "<g", "time", "{\"class\":\"VERSION\"}\n", "{\"a\":1}"])
    func whole(head: String) {
        #expect(LogForm.judge(Array(head.utf8), isWhole: true) == .nmea)
        let padded = Array(head.utf8) + [UInt8](repeating: 0x20, count: LogForm.headBytes)
        #expect(LogForm.judge(padded, isWhole: false) != nil)
    }
}
