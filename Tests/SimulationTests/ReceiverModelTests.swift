import Foundation
import Geodesy
import Simulation
import Testing
import Timekeeping

@Suite("Receiver model")
struct ReceiverModelTests {
    private static let start = UTCTime(millisecondsSince1970: 1_767_225_600_000)

    private static func route() throws -> Route {
        try Route(
            geoJSON: Array(
                """
                {"type":"Feature","properties":{"stops":[[1,5]],"tunnels":[[2,3]]},"geometry":
                {"type":"LineString","coordinates":[[-0.002,-0.001],[0.001,0.001],[0.003,0.001],
                [0.006,0.002],[0.008,0.002]]}}
                """.utf8))
    }

    private static func bytes(
        seed: UInt64, noise name: String = "urban",
        _ change: (inout ReceiverModel.Settings) -> Void = { _ in }
    ) throws -> [UInt8] {
        var settings = ReceiverModel.Settings(
            start: start, noise: try #require(ReceiverNoise(name: name)))
        change(&settings)
        var receiver = ReceiverModel(try route(), settings: settings, seed: seed)
        var bytes: [UInt8] = []
        while let epoch = receiver.next() { bytes += epoch.bytes }
        return bytes
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n").filter { $0 != "" }
    }

    @Test("the same seed gives the same bytes and another seed others")
    func deterministic() throws {
        let first = try Self.bytes(seed: 42)
        let again = try Self.bytes(seed: 42)
        let other = try Self.bytes(seed: 43)
        #expect(first == again)
        #expect(first != other)
    }

    @Test("every sentence has a right checksum and fits into 82 bytes")
    func checksums() throws {
        let bytes = try Self.bytes(seed: 1) {
            $0.sentences = Set(SentenceKind.allCases)
            $0.coldStartSeconds = 3
        }
        let lines = Self.lines(bytes)
        #expect(lines.count > 300)
        for line in lines {
            let parts = line.dropFirst().split(separator: "*")
            #expect(line.first == "$" && parts.count == 2)
            let sum = parts[0].utf8.reduce(UInt8(0), ^)
            #expect(UInt8(parts[1], radix: 16) == sum, "\(line)")
            #expect(line.utf8.count + 2 <= 82, "\(line)")
        }
        for kind in SentenceKind.allCases {
            #expect(lines.contains { $0.dropFirst(3).hasPrefix(kind.rawValue.uppercased()) })
        }
    }

    @Test("south and west of zero the hemispheres are S and W and the digits stay positive")
    func hemispheres() throws {
        let first = Self.lines(try Self.bytes(seed: 1, noise: "none"))[0]
        let fields = first.split(separator: ",", omittingEmptySubsequences: false)
        #expect(fields[3] == "0000.0600000" && fields[4] == "S")
        #expect(fields[5] == "00000.1200000" && fields[6] == "W")
        #expect(fields[1] == "000000.00" && fields[9] == "010126")
    }

    @Test("in a tunnel the receiver knows the time and no place")
    func tunnel() throws {
        let sentences = Self.lines(try Self.bytes(seed: 1)).filter { $0.hasPrefix("$GNRMC") }
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let void = sentences.filter { $0[2] == "V" }
        #expect(void.count > 15 && void.count < sentences.count / 2)
        for fields in void {
            #expect(fields[1].count == 9 && fields[9] == "010126")
            #expect(fields[3...8].allSatisfy { $0.isEmpty })
            #expect(fields[12] == "N")
        }
    }

    @Test("after a cold start there is at first neither time nor place")
    func coldStart() throws {
        let sentences = Self.lines(try Self.bytes(seed: 1) { $0.coldStartSeconds = 5 })
            .filter { $0.hasPrefix("$GNRMC") }
        #expect(sentences[..<5].allSatisfy { $0.hasPrefix("$GNRMC,,V,,,,,,,,,,N,V*") })
        #expect(sentences[5].hasPrefix("$GNRMC,000005.00,A,"))
    }

    @Test("epochs come at the period asked for and go on while it lingers")
    func periods() throws {
        let drive = RouteDrive(try Self.route())
        for (period, linger) in [(100, 0.0), (1000, 12), (30_000, 120)] {
            var settings = ReceiverModel.Settings(
                start: Self.start.advanced(byMilliseconds: 7),
                noise: try #require(ReceiverNoise(name: "open")))
            settings.periodMilliseconds = Int64(period)
            settings.lingerSeconds = linger
            var receiver = ReceiverModel(try Self.route(), settings: settings, seed: 5)
            var times: [UTCTime] = []
            while let epoch = receiver.next() { times.append(epoch.time) }
            #expect(times.first == Self.start)
            #expect(
                zip(times, times.dropFirst()).allSatisfy { $1.milliseconds(since: $0) == period })
            let expected = Int((drive.durationSeconds + linger) * 1000) / period + 1
            #expect(times.count == expected)
        }
    }

    @Test("the truth track has ten lines a second, to the millimetre, whatever the noise")
    func truth() throws {
        let drive = RouteDrive(try Self.route())
        var track = TruthTrack(drive, start: Self.start)
        var lines: [String] = []
        while let line = track.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        #expect(lines.count == Int(drive.durationSeconds * 10) + 1)
        #expect(
            lines[0] == """
                {"time":"2026-01-01T00:00:00.000Z","lat":-0.001000000,"lon":-0.002000000,\
                "sigma_m":0.01}\n
                """)
        #expect(lines[13].hasPrefix(#"{"time":"2026-01-01T00:00:01.300Z","lat":-0.000"#))
    }
}
