import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("Parts of a recording")
struct DriveRecorderTests {
    @Test("a part ends after a day, however little it holds")
    func days() {
        let sink = MemoryRecording()
        let start = Uptime(milliseconds: 5000)
        var recorder = DriveRecorder(
            RecordingHeader(
                run: RecordingHeader.Run(
                    bootID: BootID("00000000000000000000000000000000"), started: start,
                    trustedTime: nil, trustedUptime: nil)),
            started: start, partBytes: 1 << 30, to: sink)
        recorder.begin(utc: nil)
        let day: Int64 = 86_400_000
        for (milliseconds, parts) in [
            (day - 1, 1), (day, 2), (2 * day - 1, 2), (5 * day, 3), (6 * day, 4),
        ] {
            recorder.record(.tick, at: start.advanced(byMilliseconds: milliseconds))
            #expect(sink.parts.count == parts, "after \(milliseconds) ms")
        }
        #expect(sink.parts.allSatisfy { RecordingReader.recognises($0) })
    }
}
