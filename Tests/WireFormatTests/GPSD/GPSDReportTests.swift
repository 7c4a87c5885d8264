import Geodesy
import Positioning
import Testing
import WireFormat

@Suite("Reports of gpsd")
struct GPSDReportTests {
    private func report(_ line: String) -> GPSDReport { GPSDReport(line: Array(line.utf8)[...]) }

    private func position(_ members: String) throws -> GPSDPosition {
        guard case .position(let position) = report(#"{"class":"TPV",\#(members)}"#) else {
            throw Refused()
        }
        return position
    }

    private struct Refused: Error {}

    @Test("a TPV of gpsd 3.22 gives everything that it says")
    func wholePosition() throws {
        let position = try position(
            #""device":"/dev/pts/1","mode":3,"time":"2026-11-30T07:03:14.000Z","ept":0.005,"#
                + #""lat":51.300002600,"lon":-9.480018802,"altHAE":98.0,"altMSL":52.5,"alt":52.4,"#
                + #""epx":14.289,"magvar":2.9,"speed":10.104,"track":360,"climb":-0.1,"eph":13.490"#
        )
        #expect(position.device == "/dev/pts/1" && position.mode == 3)
        #expect(position.time?.rfc3339 == "2026-11-30T07:03:14.000Z")
        #expect(position.coordinate == Coordinate(latitude: 51.3000026, longitude: -9.480018802))
        #expect(position.altitudeMeters == 52.5 && position.speed == 10.104)
        #expect(position.course == 0 && position.errorMeters == 13.49)
        #expect(position.quality == .autonomous && position.hasFix && position.defect == nil)
    }

    @Test(
        "status becomes the quality",
        arguments: [
            ("", Quality.autonomous), (#""status":0,"#, .autonomous),
            (#""status":1,"#, .autonomous),
            (#""status":2,"#, .differential), (#""status":3,"#, .rtkFixed),
            (#""status":4,"#, .rtkFloat), (#""status":5,"#, .estimated),
            (#""status":6,"#, .autonomous), (#""status":7,"#, .manual),
            (#""status":8,"#, .simulated), (#""status":9,"#, .pps), (#""status":12,"#, .other(12)),
        ])
    func qualities(member: String, quality: Quality) throws {
        #expect(try position(#"\#(member)"mode":3,"lat":1,"lon":2"#).quality == quality)
    }

    @Test(
        "a position that cannot be used is none",
        arguments: [
            (#""mode":3"#, GPSDPosition.Defect.missing), (#""mode":2,"lat":52.5"#, .missing),
            (#""mode":3,"lat":nan,"lon":13.4"#, .missing),
            (#""mode":3,"lat":NaN,"lon":NaN"#, .missing),
            (#""mode":3,"lat":-inf,"lon":Infinity"#, .missing),
            (#""mode":3,"lat":null,"lon":13.4"#, .missing),
            (#""mode":3,"lat":90.001,"lon":13.4"#, .outOfRange),
            (#""mode":3,"lat":52,"lon":-180.5"#, .outOfRange),
            (#""mode":3,"lat":0.0,"lon":0.0"#, .nullIsland),
            (#""mode":3,"lat":-0.00009,"lon":0.00009"#, .nullIsland),
        ])
    func defects(members: String, defect: GPSDPosition.Defect) throws {
        let position = try position(members)
        #expect(!position.hasFix && position.coordinate == nil && position.defect == defect)
    }

    @Test("without a fix the coordinates are not read", arguments: [0, 1])
    func modes(mode: Int) throws {
        let position = try position(#""mode":\#(mode),"lat":52.5,"lon":13.4"#)
        #expect(!position.hasFix && position.coordinate == nil && position.defect == nil)
        #expect(try !self.position(#""lat":52.5,"lon":13.4"#).hasFix)
    }

    @Test("nan in any other member is only that member's absence")
    func unknownMembers() throws {
        let position = try position(
            #""mode":3,"lat":52.5,"lon":13.4,"speed":nan,"track":NaN,"eph":inf,"altMSL":-nan"#)
        #expect(position.hasFix && position.speed == nil && position.course == nil)
        #expect(position.errorMeters == nil && position.altitudeMeters == nil)
    }

    @Test(
        "a member of the wrong type makes the line malformed",
        arguments: [
            #"{"class":"TPV","mode":"3"}"#, #"{"class":"TPV","mode":4}"#,
            #"{"class":"TPV","mode":2.5}"#, #"{"class":"TPV","mode":3,"lat":"52.5"}"#,
            #"{"class":"TPV","mode":3,"lat":0x34,"lon":1}"#,
            #"{"class":"TPV","mode":3,"lat":1.2.3}"#, #"{"class":"TPV","mode":3,"lat":+1}"#,
            #"{"class":"TPV","mode":3,"lat":5-2}"#, #"{"class":"TPV","mode":3,"lat":.5}"#,
            #"{"class":"TPV","mode":3,"lat":1e999}"#, #"{"class":"TPV","time":1234.5}"#,
            #"{"class":"TPV","time":"2026-02-30T00:00:00Z"}"#, #"{"class":"TPV","time":"now"}"#,
            #"{"class":"TPV","speed":-1}"#, #"{"class":"TPV","track":361}"#,
            #"{"class":"TPV","device":7}"#, #"{"class":"SKY","hdop":"1"}"#,
            #"{"class":"SKY","satellites":[{"ss":[1]}]}"#, #"{"class":"SKY","satellites":[1]}"#,
            #"{"class":"SKY","satellites":{}}"#, #"{"class":"SKY","satellites":[{},]}"#,
            #"{"class":"SKY","satellites":[{"used":1}]}"#, #"{"class":"GST","lat":-1}"#,
            #"{"class":"DEVICES","devices":[{"activated":0}]}"#,
            #"{"class":"DEVICES","devices":7}"#,
            #"{"class":"DEVICE"}"#, #"{"mode":3}"#, #"{"class":3}"#, "{", "}", "[]", "hello",
            #"{"class":"TPV","mode":3"#, #"{"class":"TPV"} {"class":"TPV"}"#,
        ])
    func malformed(line: String) {
        #expect(report(line) == .malformed)
    }

    @Test(
        "lines that are none of our business are passed over",
        arguments: [
            "", "\r", "  ", "$GPRMC,120000,A", "!AIVDM,1", "# comment",
            #"{"class":"ATT","x":[{}]}"#,
            #"{"class":"WATCH","enable":true}"#, #"{"class":"PPS"}"#, #"{"class":"VERSION"}"#,
        ])
    func others(line: String) {
        #expect(report(line) == .other)
    }

    @Test("SKY gives dilution, satellites and the best signal")
    func sky() throws {
        guard case .sky(let sky) = report(GPSDLines.sky(0.71)) else { throw Refused() }
        #expect(sky.hdop == 0.71 && sky.satellitesUsed == 2 && sky.satellitesInView == 3)
        #expect(sky.bestSignal == 47 && sky.device == "/dev/ttyACM0")
        guard
            case .sky(let old) = report(
                #"{"class":"SKY","satellites":[{"used":true,"ss":33.5},{"used":false}]}"#)
        else { throw Refused() }
        #expect(old.satellitesUsed == 1 && old.satellitesInView == 2 && old.bestSignal == 34)
    }

    @Test("fillers of HDOP are absent", arguments: ["0.0", "50.00", "89.99", "99.99", "nan"])
    func fillers(value: String) throws {
        guard case .sky(let sky) = report(#"{"class":"SKY","hdop":\#(value)}"#) else {
            throw Refused()
        }
        #expect(sky.hdop == nil)
    }

    @Test("GST gives the 68 % radius of both axes, else of the ellipse")
    func errors() throws {
        func radius(_ members: String) throws -> Double? {
            guard case .errors(let errors) = report(#"{"class":"GST",\#(members)}"#) else {
                throw Refused()
            }
            return errors.accuracy?.meters
        }
        let axes = try #require(try radius(#""lat":3.0,"lon":4.0"#))
        let ellipse = try #require(try radius(#""lat":3.0,"major":6,"minor":8.0"#))
        #expect(abs(axes - 5 * 1.07) < 1e-9 && abs(ellipse - 10 * 1.07) < 1e-9)
        #expect(try radius(#""lat":0.0,"lon":0.0"#) == nil)
        #expect(try radius(#""rms":4.0"#) == nil)
    }

    @Test("a receiver is open, closed, or gpsd does not say")
    func devices() throws {
        let line =
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":"#
            + #""2026-11-30T07:03:12.276Z"},{"path":"/dev/b"},{"path":"/dev/c","activated":0},"#
            + #"{"path":"/dev/d","activated":"1970-01-01T00:00:00.000Z"}]}"#
        guard case .devices(let devices) = report(line) else { throw Refused() }
        #expect(devices.map(\.path) == ["/dev/a", "/dev/b", "/dev/c", "/dev/d"])
        #expect(devices.map(\.activation) == [.active, .unknown, .closed, .closed])
        guard case .devices(let none) = report(#"{"class":"DEVICES","devices":[]}"#) else {
            throw Refused()
        }
        #expect(none.isEmpty)
    }

    @Test(
        "an address is a host and a port, never one of libgps's words",
        arguments: [
            ("localhost", 2947, true), ("127.0.0.1", 1, true), ("fe80::1%eth0", 65_535, true),
            ("my-gps.example.org", 2947, true), ("shared memory", 2947, false),
            ("DBUS export", 2947, false), ("local file", 2947, false), ("", 2947, false),
            ("localhost", 0, false), ("localhost", 65_536, false), ("/run/gpsd.sock", 2947, false),
        ])
    func addresses(host: String, port: Int, isOne: Bool) {
        #expect((GPSDAddress(host: host, port: port) != nil) == isOne)
    }
}
