import FieldTools
import Geofencing
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("A recorded drive")
struct RecordingReplayTests {
    private struct Outcome {
        var lines: [UInt8] = []
        var replay: Replay
    }

    private func replay(_ parts: [[UInt8]]) throws -> Outcome {
        var outcome = Outcome(replay: try Replay(try #require(parts.first)))
        for (index, part) in parts.enumerated() {
            if index > 0 { try outcome.replay.proceed(to: part) }
            while let step = try outcome.replay.next() {
                for transition in step.transitions {
                    outcome.lines += try WireCoding.encode(WireDecision(transition)) + [0x0A]
                }
            }
        }
        outcome.replay.conclude()
        return outcome
    }

    /// The payloads of the `decision` records as they stand in the files.
    private func recorded(_ parts: [[UInt8]]) -> [UInt8] {
        parts.flatMap { part in
            part.split(separator: 0x0A).flatMap { line -> [UInt8] in
                let text = String(decoding: line, as: UTF8.self)
                guard text.contains(#""k":"decision""#) else { return [] }
                return Array(Self.payload(of: text).utf8) + [0x0A]
            }
        }
    }

    /// The object without the members that every record has; keys are sorted, the values simple.
    private static func payload(of line: String) -> String {
        var text = line
        for pattern in [#""io":"out","#, #""k":"decision","#] {
            if let range = text.firstRange(of: pattern) { text.removeSubrange(range) }
        }
        for name in [#""m":"#, #""u":"#] {
            guard let start = text.firstRange(of: name) else { continue }
            let end = text[start.upperBound...].firstIndex { $0 == "," || $0 == "}" }
            guard let end else { continue }
            if text[end] == "," {
                text.removeSubrange(start.lowerBound...end)
            } else {
                text.removeSubrange(text.index(before: start.lowerBound)..<end)
            }
        }
        return text
    }

    @Test("is decided again byte for byte, whatever happened on the way", arguments: 1...12)
    func identical(seed: UInt64) async throws {
        var run = try await RecordedRun(
            seed: seed, partBytes: seed % 3 == 0 ? 20_000 : 1 << 30,
            profile: seed % 4 == 0 ? "kiosk" : "vehicle", leavesSnapshots: seed % 2 == 0)
        await run.drive()
        let restarts = String(decoding: run.sink.parts.joined(), as: UTF8.self)
            .split(separator: "\n").filter { $0.contains(#""k":"restart""#) }
        let continued = restarts.count { $0.contains("snapshot") }
        if seed % 2 == 1 { #expect(continued == 0) }
        if seed == 2 { #expect(continued > 0, "of \(restarts.count) restarts") }
        let parts = run.sink.parts
        let outcome = try replay(parts)
        #expect(outcome.replay.doubts.isEmpty)
        #expect(outcome.replay.comparison.difference == nil)
        #expect(outcome.lines == recorded(parts))
        #expect(outcome.replay.comparison.agreed > 3)
        #expect(seed % 3 != 0 || parts.count > 5)
    }

    @Test("in one file after the other is one recording, too")
    func joined() async throws {
        var run = try await RecordedRun(seed: 3, partBytes: 20_000)
        await run.drive()
        let apart = try replay(run.sink.parts)
        let joined = try replay([Array(run.sink.parts.joined())])
        #expect(joined.lines == apart.lines)
        #expect(joined.replay.doubts.isEmpty)
        #expect(joined.replay.comparison.difference == nil)
    }

    @Test("without its first part proves nothing, and says why")
    func beheaded() async throws {
        var run = try await RecordedRun(seed: 3, partBytes: 20_000)
        await run.drive()
        let outcome = try replay(Array(run.sink.parts.dropFirst()))
        #expect(outcome.replay.doubts.first?.contains("part 1 is not before it") == true)
        #expect(outcome.replay.comparison.difference == nil)
    }

    @Test("that lost records on the way proves nothing, and says so")
    func holes() async throws {
        var run = try await RecordedRun(seed: 5)
        await run.drive { index, run in run.sink.setFull((50..<60).contains(index)) }
        let outcome = try replay(run.sink.parts)
        #expect(outcome.replay.doubts.count == 1)
        #expect(outcome.replay.doubts.first?.contains("records were lost") == true)
        #expect(outcome.replay.comparison.difference == nil)
    }

    @Test("that was tampered with differs, and the first decision that does is named")
    func tampered() async throws {
        var run = try await RecordedRun(seed: 1)
        await run.drive()
        var lines = String(decoding: run.sink.parts[0], as: UTF8.self).split(separator: "\n")
        let index = try #require(lines.firstIndex { $0.contains(#""k":"decision""#) })
        lines.remove(at: index)
        let missing = try replay([Array(lines.joined(separator: "\n").utf8) + [0x0A]])
        #expect(missing.replay.comparison.difference?.number == 1)
        var parts = run.sink.parts
        parts[0] = Array(
            String(decoding: parts[0], as: UTF8.self)
                .replacing(#""confirmations":1"#, with: #""confirmations":7"#).utf8)
        let changed = try #require(try replay(parts).replay.comparison.difference)
        #expect(changed.recorded?.evidence.confirmations == 7)
        #expect(changed.replayed?.evidence.confirmations == 1)
    }
}
