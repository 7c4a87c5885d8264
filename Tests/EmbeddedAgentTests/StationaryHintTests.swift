import Foundation
import GeofenceAgent
import LinuxSystem
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import EmbeddedAgent

@Suite("Stationary hint")
struct StationaryHintTests {
    @Test(
        "a hint is none, a file or a line",
        arguments: [
            ("none", StationaryHint.none), ("file:/run/ignition", .file("/run/ignition")),
            ("file:/a:b", .file("/a:b")),
            ("gpio:gpiochip0/17", .gpio(chip: "gpiochip0", line: 17)),
            ("gpio:gpiochip0/0", .gpio(chip: "gpiochip0", line: 0)),
            ("", nil), ("None", nil), ("file", nil), ("file:", nil), ("file:/", nil),
            ("file:relative", nil), ("file:/folder/", nil), ("gpio:", nil), ("gpio:gpiochip0", nil),
            ("gpio:gpiochip0/", nil), ("gpio:/17", nil), ("gpio:gpiochip0/-1", nil),
            ("gpio:gpiochip0/+1", nil), ("gpio:gpiochip0/65536", nil), ("gpio:../mem/1", nil),
            ("gpio:gpiochip0/99999999999999999999", nil), ("gpio:a/b/1", nil), ("pin:17", nil),
        ] as [(String, StationaryHint?)])
    func parsing(text: String, hint: StationaryHint?) {
        #expect(StationaryHint(text) == hint)
        if let hint { #expect(hint.description == text) }
    }

    @Test("a file is followed while it is written, replaced, removed and made again")
    func file() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("ignition")
        let log = Lines()
        let source = StationaryHintSource(.file(path), on: try PollLoop(name: "files"), log: log)
        var hints = source.hints.makeAsyncIterator()
        let guardTask = Task {
            try await Task.sleep(for: .seconds(60))
            source.close()
        }
        #expect(await hints.next() == false, "a missing file is no hint")
        try "1\n".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(await hints.next() == true)
        try "0\n".write(toFile: path + ".new", atomically: false, encoding: .utf8)
        #expect(rename(path + ".new", path) == 0)
        #expect(await hints.next() == false)
        try "1".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(await hints.next() == true)
        try FileManager.default.removeItem(atPath: path)
        #expect(await hints.next() == false)
        #expect(log.lines.isEmpty)
        try "1".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(await hints.next() == true)
        try "parked".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(await hints.next() == false)
        #expect(log.lines.contains { $0.contains("neither 1 nor 0") })
        source.close()
        #expect(await hints.next() == nil)
        guardTask.cancel()
    }

    @Test(
        "what cannot be watched is no hint, and the journal says why",
        arguments: [
            (StationaryHint.file("/nowhere/at/all"), "No such file"),
            (.gpio(chip: "gpiochip-missing", line: 3), "/dev/gpiochip-missing"),
            (.gpio(chip: "null", line: 3), "/dev/null line 3"),
        ])
    func missing(hint: StationaryHint, reason: String) async throws {
        let log = Lines()
        let source = StationaryHintSource(hint, on: try PollLoop(name: "files"), log: log)
        var hints = source.hints.makeAsyncIterator()
        #expect(await hints.next() == false)
        #expect(
            log.lines.contains { $0.contains(reason) && $0.contains("no hint") }, "\(log.lines)")
        source.close()
    }
}

private final class Lines: LogSink {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func write(_ line: LogLine) { kept.withLock { $0.append(line.message) } }
}
