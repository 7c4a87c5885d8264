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
            guard case .received(let reception) = event else { continue }
            let uptime = reception.uptime
            switch reception.input {
            case .bytes(let bytes): decoder.consume(bytes, at: uptime) { fixes.append($0) }
            case .pause: decoder.idle(at: uptime) { fixes.append($0) }
            case .end: decoder.finish(at: uptime) { fixes.append($0) }
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
        let inputs = events.compactMap { event -> Reception.Input? in
            if case .received(let reception) = event { reception.input } else { nil }
        }
        #expect(inputs.contains(.pause) && inputs.contains(.end), "seed \(seed)")
        #expect(delivery.fixes.count > 10, "seed \(seed)")
        #expect(decodedAgain(events) == delivery.fixes, "seed \(seed)")
    }
}
