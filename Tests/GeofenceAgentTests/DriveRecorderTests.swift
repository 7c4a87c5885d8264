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
}
