import Glibc
import LinuxSystem
import NMEA
import Positioning
import TestSupport
import Testing
import Timekeeping

@testable import Receivers

@Suite("Bytes for recordings")
struct ReceivedBytesTests {
    /// Decodes again what a source received, as a replay does.
    private func decodedAgain(_ events: [SourceEvent]) -> [Fix] {
        var decoder = NMEADecoder()
        var fixes: [Fix] = []
        for event in events {
            switch event {
            case .raw(let bytes, let uptime):
                decoder.consume(bytes, at: uptime) { fixes.append($0) }
            case .paused(let uptime): decoder.idle(at: uptime) { fixes.append($0) }
            case .ended(let uptime): decoder.finish(at: uptime) { fixes.append($0) }
            case .fix, .health, .opened, .report: break
            }
        }
        return fixes
    }

    @Test("bytes, pauses and ends decode again to the same fixes, uptimes included")
    func decodesAgain() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let terminal = try PseudoTerminal()
        let delivery = Delivery()
        let source = SerialFixSource(
            SerialFixSource.Configuration(path: terminal.path),
            timekeeper: SystemTimekeeper())
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.openings == 1 })
        for second in 0..<20 {
            // Cut anywhere, also within a sentence, by pauses around the one that closes an epoch.
            var rest = Array(SampleSentences.epoch(second).utf8)[...]
            while !rest.isEmpty {
                let count = min(rest.count, 1 + Int(random.next() % 120))
                terminal.send(rest.prefix(count))
                rest = rest.dropFirst(count)
                if random.next() % 4 == 0 { usleep(UInt32(random.next() % 300_000)) }
            }
            usleep(UInt32(random.next() % 100_000))
        }
        terminal.send(SampleSentences.epoch(20).utf8.dropLast(2))
        #expect(delivery.eventually { $0.raw.count > 2500 })
        usleep(400_000)
        source.stop()
        let events = delivery.all
        #expect(events.contains { if case .paused = $0 { true } else { false } }, "seed \(seed)")
        #expect(events.contains { if case .ended = $0 { true } else { false } }, "seed \(seed)")
        #expect(delivery.fixes.count > 10, "seed \(seed)")
        #expect(decodedAgain(events) == delivery.fixes, "seed \(seed)")
    }
}
