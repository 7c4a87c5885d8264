import Foundation
import Geodesy
import LinuxSystem
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import Receivers

@Suite("Fixed and recorded sources")
struct OtherSourcesTests {
    let folder: TemporaryDirectory
    let delivery = Delivery()

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test("a fixed position is an accepted fix once a second")
    func isFixed() throws {
        let coordinate = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
        let source = FixedPositionSource(
            coordinate: coordinate, accuracyMeters: 5, timekeeper: SystemTimekeeper())
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.fixes.count == 2 })
        source.stop()
        let fix = try #require(delivery.fixes.first)
        #expect(fix.coordinate == coordinate && fix.source == .fixed)
        #expect(fix.horizontalAccuracy?.meters == 5)
        let seconds = delivery.fixes[1].uptime.seconds(since: fix.uptime)
        #expect(seconds >= 1)
        #expect(delivery.all.first == .opened)
        var filter = FixFilter(rules: FixFilterRules())
        #expect(filter.ingest(fix).latest.verdict == .ok)
    }

    private func play(
        _ contents: String, as name: String, speed: Double? = nil
    ) throws -> Delivery {
        let path = folder.file(name)
        try FileContents.replace(path, with: Array(contents.utf8))
        let source = RecordedFileSource(
            RecordedFileSource.Configuration(path: path, speed: speed),
            timekeeper: SystemTimekeeper())
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.health.last?.state == .noData })
        source.stop()
        return delivery
    }

    @Test("a log plays its epochs with the time that lay between them")
    func playsLogs() throws {
        let log = [0, 1, 2, 10, 10 + 7200, 11 + 7200].map(SampleSentences.epoch).joined()
        let fixes = try play(log, as: "drive.nmea").fixes
        let first = try #require(fixes.first)
        #expect(fixes.map { $0.uptime.seconds(since: first.uptime) } == [0, 1, 2, 10, 10, 11])
        #expect(delivery.health.map(\.state) == [.fix, .noData])
        #expect(delivery.health.last?.reason == "\(folder.file("drive.nmea")) ends here")
    }

    @Test("recorded time passes at the given speed")
    func keepsTime() throws {
        let started = SystemTimekeeper().uptime
        let log = (0..<5).map(SampleSentences.epoch).joined()
        let fixes = try play(log, as: "drive.nmea", speed: 10).fixes
        #expect(fixes.count == 5)
        #expect(SystemTimekeeper().uptime.seconds(since: started) >= 0.4)
    }

    @Test("a recording plays its raw bytes and its fixes, and nothing else")
    func playsRecordings() throws {
        let epoch = SampleSentences.epoch(5).replacing("\r\n", with: "\\r\\n")
        let binary = Data(SampleSentences.epoch(6).utf8).base64EncodedString()
        let recording = """
            {"k":"header","io":"in","m":0,"schema":"geofence.recording/1"}
            {"k":"raw","io":"in","m":1000,"s":"\(epoch)"}
            {"k":"raw","io":"in","m":2000,"b64":"\(binary)"}
            {"k":"decision","io":"out","m":2500,"type":"enter"}
            {"k":"fix","io":"in","m":4000,"time":"2026-01-31T00:00:08.000Z","lat":52.5,"lon":13.4,\
            "accuracy_m":4,"speed_mps":3,"course_deg":90,"dimension":"3d","quality":"rtk_fixed"}
            not a record
            {"k":"fix","io":"in","m":5000,"lat":null,"lon":null,"dimension":"none"}
            {"k":"fix","io":"in","m":6000,"lat":95,"lon":13}
            {"k":"fix","io":"in","m":7000,"la
            """
        let played = try play(recording, as: "a.rec.ndjson")
        let fixes = played.fixes
        #expect(fixes.count == 5)
        let start = try #require(fixes.first?.uptime)
        #expect(fixes.map { $0.coordinate != nil } == [true, true, true, false, false])
        #expect(fixes.map { $0.uptime.seconds(since: start) } == [0, 1, 3, 4, 5])
        #expect(fixes.map(\.source) == [.nmea, .nmea, .recording, .recording, .recording])
        #expect(fixes[2].quality == .rtkFixed && fixes[2].dimension == .threeDimensional)
        #expect(fixes[2].horizontalAccuracy?.meters == 4 && fixes[2].speed == 3)
        #expect(played.raw == Array((SampleSentences.epoch(5) + SampleSentences.epoch(6)).utf8))
    }

    @Test(
        "a file that cannot be played says why",
        arguments: [
            (nil, SourceHealth.State.noDevice, "open PATH: No such file or directory"),
            ([0x1F, 0x8B, 8], .noData, "PATH is compressed: gunzip it first"),
            ([], .noData, "PATH ends here"), ([65, 66, 10], .noData, "PATH ends here"),
        ] as [([UInt8]?, SourceHealth.State, String)])
    func explains(contents: [UInt8]?, state: SourceHealth.State, reason: String) throws {
        let path = folder.file("file")
        if let contents { try FileContents.replace(path, with: contents) }
        let source = RecordedFileSource(
            RecordedFileSource.Configuration(path: path), timekeeper: SystemTimekeeper())
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { !$0.health.isEmpty })
        source.stop()
        #expect(
            delivery.health == [SourceHealth(state, reason.replacing("PATH", with: path))])
    }

    @Test("a real log gives a fix an epoch", .enabled(if: SharedFolder.path(Self.log) != nil))
    func playsARealLog() throws {
        let path = try #require(SharedFolder.path(Self.log))
        let source = RecordedFileSource(
            RecordedFileSource.Configuration(path: path, speed: nil),
            timekeeper: SystemTimekeeper())
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.health.last?.state == .noData })
        source.stop()
        let times = delivery.fixes.compactMap(\.time)
        #expect(times.count > 10)
        #expect(Set(times).count == times.count)
    }

    private static let log = "corpora/gpsd/bu353s4.log"

    @Test(
        "lines are found however the bytes are cut",
        arguments: [1, 2, 3, 7, 100])
    func splitsLines(size: Int) {
        let bytes = Array("one\n\ntwo\r\nthree".utf8)
        var splitter = LineSplitter()
        var lines: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            lines += splitter.add(bytes[start..<min(start + size, bytes.count)])
        }
        if let last = splitter.finish() { lines.append(last) }
        #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["one", "", "two\r", "three"])
    }

    @Test("a line that is too long is dropped, the next one is kept")
    func dropsLongLines() {
        var splitter = LineSplitter()
        let long = [UInt8](repeating: 65, count: LineSplitter.maximumLineBytes + 1)
        #expect(splitter.add(long[...]).isEmpty)
        #expect(splitter.add([66, 10, 67, 10]) == [[67]])
        #expect(splitter.finish() == nil)
    }
}
