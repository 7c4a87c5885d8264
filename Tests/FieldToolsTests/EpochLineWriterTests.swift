import Foundation
import Geodesy
import NMEA
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import FieldTools

@Suite("The lines of decode")
struct EpochLineWriterTests {
    private func text(_ fix: Fix) -> String {
        var writer = EpochLineWriter()
        let isTaken = writer.append(fix)
        #expect(isTaken)
        return String(decoding: writer.take(), as: UTF8.self)
    }

    private var fix: Fix {
        Fix(
            coordinate: Coordinate(latitude: -0.00000012345, longitude: 11.25),
            time: UTCTime(rfc3339: "2021-03-11T10:10:10.5Z"), uptime: Uptime(milliseconds: 0),
            horizontalAccuracy: HorizontalAccuracy(meters: 0.05350000001, provenance: .hdop),
            speed: 5.14444, course: 90, dimension: .threeDimensional, quality: .rtkFixed,
            source: .nmea)
    }

    @Test("an epoch with everything")
    func full() {
        #expect(
            text(fix)
                == #"{"time":"2021-03-11T10:10:10.500Z","lat":-0.0000001235,"lon":11.25,"#
                + #""dimension":"3d","quality":"rtk_fixed","accuracy_m":0.0535,"#
                + #""speed_mps":5.1444,"course_deg":90}"# + "\n")
    }

    @Test("an epoch with nothing")
    func empty() {
        #expect(
            text(Fix(uptime: Uptime(milliseconds: 0), source: .nmea))
                == #"{"time":null,"lat":null,"lon":null,"dimension":"none","quality":"none","#
                + #""accuracy_m":null,"speed_mps":null,"course_deg":null}"# + "\n")
    }

    @Test(
        "numbers",
        arguments: [
            (0.0, "0"), (-0.0, "0"), (-0.000004, "0"), (0.000006, "0.00001"), (0.1, "0.1"),
            (-1.5, "-1.5"), (0.999999, "1"), (179.99999, "179.99999"), (Double.nan, "null"),
            (.infinity, "null"), (1e8, "null"), (-99_999_999.0, "-99999999"),
        ])
    func numbers(value: Double, expected: String) {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = buffer.withUnsafeMutableBufferPointer {
            var bytes = JSONBytes($0, count: 0)
            bytes.number(value, decimals: 5)
            return bytes.count
        }
        #expect(String(decoding: buffer[..<count], as: UTF8.self) == expected)
    }

    @Test("random values come back from a JSON reader")
    func roundTrip() throws {
        let seed: UInt64 = 20_261
        print("EpochLineWriterTests.roundTrip seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var fix = fix
            let latitude = Double.random(in: -90...90, using: &random)
            let longitude = Double.random(in: -180...180, using: &random)
            fix.coordinate = Coordinate(latitude: latitude, longitude: longitude)
            let object = try JSONSerialization.jsonObject(with: Data(text(fix).utf8))
            let fields = try #require(object as? [String: Any])
            #expect(abs((fields["lat"] as? Double ?? 999) - latitude) <= 5.1e-11)
            #expect(abs((fields["lon"] as? Double ?? 999) - longitude) <= 5.1e-11)
        }
    }

    @Test("a full writer refuses, and every line that it took is whole")
    func fullWriter() {
        var writer = EpochLineWriter()
        var count = 0
        while writer.append(fix) { count += 1 }
        #expect(writer.isFull)
        #expect(count > 300)
        let lines = String(decoding: writer.take(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == count)
        #expect(Set(lines).count == 1)
        #expect(writer.isEmpty)
        let isTaken = writer.append(fix)
        #expect(isTaken)
    }

    @Test("the counters are one more line")
    func counters() throws {
        var counters = NMEACounters()
        counters.accepted = 12
        counters.malformed = 1
        counters.tooLong = 2
        var writer = EpochLineWriter()
        let isTaken = writer.append(counters)
        #expect(isTaken)
        let object = try JSONSerialization.jsonObject(with: Data(writer.take()))
        let fields = (object as? [String: [String: Int]])?["counters"]
        #expect(fields?["accepted"] == 12)
        #expect(fields?["rejected"] == 3)
        #expect(fields?["too_long"] == 2)
    }

    @Test("so are those of gpsd, under their own names")
    func gpsdCounters() throws {
        var counters = GPSDCounters()
        for (index, path) in [\GPSDCounters.lines, \.malformed, \.tooLong].enumerated() {
            counters[keyPath: path] = [12, 1, 2][index]
        }
        let line = EpochLineWriter.line(of: counters)
        #expect(line.last == 0x0A && line.count { $0 == 0x0A } == 1)
        let object = try JSONSerialization.jsonObject(with: Data(line))
        let fields = try #require((object as? [String: [String: Int]])?["counters"])
        #expect(
            fields == Dictionary(uniqueKeysWithValues: counters.named.map { ($0.name, $0.count) }))
        #expect(fields["accepted"] == 11 && fields["rejected"] == 3)
    }
}
