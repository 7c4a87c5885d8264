import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("Parts of a recording")
struct DriveRecorderTests {
    @Test("a part ends after its time, however little it holds")
    func days() {
        let sink = MemoryRecording()
        let start = Uptime(milliseconds: 5000)
        var recorder = DriveRecorder(
            RecordingHeader(
                run: RecordingHeader.Run(
                    bootID: BootID("00000000000000000000000000000000"), started: start,
                    trustedTime: nil, trustedUptime: nil)),
            started: start, partBytes: 1 << 30, partSeconds: 21_600, to: sink)
        recorder.begin(utc: nil)
        let span: Int64 = 21_600_000
        for (milliseconds, parts) in [
            (span - 1, 1), (span, 2), (2 * span - 1, 2), (5 * span, 3), (6 * span, 4),
        ] {
            recorder.record(.tick, at: start.advanced(byMilliseconds: milliseconds))
            #expect(sink.parts.count == parts, "after \(milliseconds) ms")
        }
        #expect(sink.parts.allSatisfy { RecordingReader.recognises($0) })
    }

    /// Twice in a recording, a fix would be decided twice by a replay.
    @Test(
        "what a source tells is recorded once: bytes without their fixes, gpsd's lines as reports")
    func once() throws {
        let sink = MemoryRecording()
        let start = Uptime(milliseconds: 5000)
        var recorder = DriveRecorder(
            RecordingHeader(
                run: RecordingHeader.Run(
                    bootID: BootID("00000000000000000000000000000000"), started: start,
                    trustedTime: nil, trustedUptime: nil)),
            started: start, partBytes: 1 << 30, partSeconds: 21_600, to: sink)
        recorder.begin(utc: nil)
        let fix = Fix(
            coordinate: place(10, 20), uptime: start, dimension: .threeDimensional,
            quality: .autonomous, source: .recording)
        let line = Array(#"{"class":"TPV"}"#.utf8)
        let events: [SourceEvent] = [
            .opened, .received(Reception(.bytes([36, 10]), at: start, fixes: [fix])),
            .received(Reception(.pause, at: start, fixes: [fix])),
            .received(Reception(.end, at: start, fixes: [fix])), .report(line, start), .fix(fix),
            .health(SourceHealth(.fix, "")),
        ]
        for event in events { recorder.record(event, at: start, utc: nil) }
        var reader = RecordingReader(try #require(sink.parts.first))
        var told: [String] = []
        while let record = try reader.next() {
            switch record.content {
            case .raw(let bytes): told.append("raw \(bytes)")
            case .report(let bytes): told.append("report \(bytes == line)")
            case .fix: told.append("fix")
            case .source(let event): told.append("source \(event)")
            case .header: break
            default: told.append("\(record.content)")
            }
        }
        #expect(
            told == [
                "source opened", "raw [36, 10]", "source paused", "source ended", "report true",
                "fix",
            ])
    }
}
