import Foundation
import NMEA
import Positioning
import TestSupport
import Testing
import Timekeeping

/// `geofence-field simulate` as a process: its files, its port, its plug.
@Suite("Simulate", .serialized)
struct SimulateTests {
    private let folder: TemporaryDirectory
    private let route: String

    init() throws {
        folder = try TemporaryDirectory()
        route = folder.file("route.geojson")
        let text = """
            {"type":"Feature","properties":{"stops":[[1,60]]},"geometry":{"type":"LineString",
             "coordinates":[[8.5,47.4],[8.502,47.4],[8.502,47.402]]}}
            """
        try text.write(toFile: route, atomically: true, encoding: .utf8)
    }

    private func simulate(_ arguments: [String]) throws -> BuiltProgram {
        try BuiltProgram(
            "geofence-field", ["simulate", "--route", route] + arguments, in: folder.path)
    }

    private func fixes(in bytes: [UInt8]) -> (fixes: [Fix], counters: NMEACounters) {
        var decoder = NMEADecoder()
        var fixes: [Fix] = []
        decoder.consume(bytes, at: Uptime(milliseconds: 0)) { fixes.append($0) }
        decoder.finish { fixes.append($0) }
        return (fixes.filter { $0.coordinate != nil }, decoder.counters)
    }

    /// The device that the link points to; nil where there is no link.
    private func target(of link: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    }

    @Test("the same options and seed give the same bytes, to a file and to standard output")
    func deterministic() throws {
        let options = [
            "--seed", "9", "--noise", "urban", "--start", "2026-03-01T23:59:50Z", "--rate", "2",
        ]
        let first = try simulate(options + ["--truth", folder.file("truth.ndjson")])
        let second = try simulate(options + ["--output", folder.file("out.nmea")])
        #expect(first.end(within: 30) == 0 && second.end(within: 30) == 0)
        let bytes = first.output
        #expect(bytes.count > 50_000)
        #expect(bytes == SharedFolder.readFile(folder.file("out.nmea")))
        let truth = SharedFolder.readFile(folder.file("truth.ndjson")).map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(try #require(truth).hasPrefix(#"{"time":"2026-03-01T23:59:50.000Z","lat":47.4000"#))
        let fixes = fixes(in: bytes).fixes
        #expect(fixes.last?.time?.date.day == 2)
    }

    @Test(
        "a wrong command line is refused with what to do",
        arguments: [
            (["--noise", "ocean"], 2, "urban"), (["--rate", "0"], 2, "0.01"),
            (["--baud", "9600"], 2, "--pty"), (["--start", "noon"], 2, "2026-01-31T12:00:00Z"),
            (["--rate", "10", "--pty", "x"], 2, "do not fit into 9600 baud"),
            (["--speed", "max", "--pty", "x"], 2, "speed of its own"),
            (["--baud", "1200", "--pty", "x"], 2, "4800"), (["--outage", "5"], 2, "60:20"),
            (["--sentences", "rmc,abc"], 2, "gga"),
        ])
    func refuses(arguments: [String], status: Int32, hint: String) throws {
        let program = try simulate(arguments)
        #expect(program.end(within: 10) == status)
        #expect(program.errors.contains(hint), "\(program.errors)")
    }

    @Test("a route that is no route is refused with its place")
    func refusesRoute() throws {
        try #"{"type":"Feature"}"#.write(toFile: route, atomically: true, encoding: .utf8)
        let program = try simulate([])
        #expect(program.end(within: 10) == 1)
        #expect(program.errors.contains("/geometry: missing"), "\(program.errors)")
    }

    @Test("the port sends at the speed of its line, in real time, and nothing stale")
    func port() throws {
        let link = folder.file("gnss")
        let program = try simulate(["--pty", link, "--baud", "9600", "--noise", "none"])
        #expect(eventually(within: 10) { target(of: link) != nil })
        let first = try #require(PortReader(link, speed: speed_t(B9600)))
        let heard = first.read(for: 3.2)
        #expect(heard.bytes.count > 700 && heard.bytes.count < 3300)
        let (fixes, counters) = fixes(in: heard.bytes)
        #expect((2...4).contains(fixes.count))
        #expect(counters.accepted > 10 && counters.checksumMismatch == 0)
        withExtendedLifetime(first) {}
        let age = try #require(fixes.last?.time).milliseconds(since: now)
        #expect(abs(age) < 2500)
        program.send(SIGTERM)
        #expect(program.end(within: 2) == 0)
        #expect(target(of: link) == nil)
    }

    @Test("who comes back hears the present, not what was sent while nobody read")
    func nothingStale() throws {
        let link = folder.file("gnss")
        let program = try simulate(["--pty", link])
        #expect(eventually(within: 10) { target(of: link) != nil })
        do {
            let reader = try #require(PortReader(link, speed: speed_t(B9600)))
            _ = reader.read(for: 1.5)
            // Unread for two seconds, then closed.
            usleep(2_000_000)
            withExtendedLifetime(reader) {}
        }
        usleep(300_000)
        let reader = try #require(PortReader(link, speed: speed_t(B9600)))
        let arrival = now
        // Who comes in the middle of an epoch has no date yet.
        let time = try #require(
            fixes(in: reader.read(for: 3.2).bytes).fixes.compactMap(\.time).first)
        #expect(time.milliseconds(since: arrival) > -1100)
        program.send(SIGINT)
        #expect(program.end(within: 2) == 0)
    }

    @Test("a listener of the wrong speed hears noise, and sentences once it changes")
    func wrongSpeed() throws {
        let link = folder.file("gnss")
        let program = try simulate(["--pty", link, "--baud", "38400"])
        #expect(eventually(within: 10) { target(of: link) != nil })
        let noise = try #require(PortReader(link, speed: speed_t(B9600))).read(for: 2.2).bytes
        #expect(noise.count > 300)
        #expect(fixes(in: noise).counters.accepted == 0)
        let right = try #require(PortReader(link, speed: speed_t(B38400))).read(for: 2.2).bytes
        #expect(!fixes(in: right).fixes.isEmpty)
        #expect(program.errors.contains("hears noise at 38400"))
    }

    @Test("unplugged, the listener gets a hang-up; plugged in again, the port has another name")
    func plug() throws {
        let link = folder.file("gnss")
        let program = try simulate(["--pty", link, "--wait-for-reader"])
        #expect(eventually(within: 10) { target(of: link) != nil })
        let before = try #require(target(of: link))
        usleep(500_000)
        #expect(!program.errors.contains("departs"))
        let reader = try #require(PortReader(link, speed: speed_t(B9600)))
        #expect(!reader.read(for: 2).hungUp)
        #expect(program.errors.contains("departs"))
        program.send(SIGUSR1)
        #expect(reader.read(for: 2).hungUp)
        #expect(eventually(within: 1) { target(of: link) == nil })
        program.send(SIGUSR2)
        #expect(eventually(within: 2) { target(of: link) != nil })
        #expect(target(of: link) != before)
        let again = try #require(PortReader(link, speed: speed_t(B9600)))
        #expect(!fixes(in: again.read(for: 2.2).bytes).fixes.isEmpty)
        program.send(SIGTERM)
        #expect(program.end(within: 2) == 0)
    }

    @Test("a link that is a file is left alone")
    func foreignFile() throws {
        let link = folder.file("precious")
        try "mine".write(toFile: link, atomically: true, encoding: .utf8)
        let program = try simulate(["--pty", link])
        #expect(program.end(within: 10) == 1)
        #expect(program.errors.contains("is no symbolic link"))
        #expect(SharedFolder.readFile(link) == Array("mine".utf8))
    }

    private var now: UTCTime {
        UTCTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
