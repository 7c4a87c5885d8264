import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@Suite("Damaged reports of gpsd")
struct GPSDDamageTests {
    private static let clean: String = (0..<60).map(second).joined()

    /// One second of a session; in single steps, for the type checker of Swift 6.0.3.
    private static func second(_ second: Int) -> String {
        let time = Double(second)
        var lines = #"{"class":"VERSION","release":"3.22","rev":"3.22"}"# + "\n"
        lines += #"{"class":"DEVICES","devices":[{"path":"/dev/ttyACM0","activated":0}]}"# + "\n"
        lines += GPSDLines.position(time, #""speed":6.8,"track":90,"eph":4,"status":2"#)
        lines += GPSDLines.sky(0.8)
        lines += GPSDLines.errors(time, 2, 3)
        return lines
    }

    private func check(_ fix: Fix, _ context: String) {
        #expect((fix.coordinate == nil) == (fix.dimension == .none), "\(context)")
        #expect(fix.speed.map { $0 >= 0 && $0.isFinite } != false, "\(context)")
        #expect(fix.course.map { (0..<360).contains($0) } != false, "\(context)")
        #expect(
            fix.horizontalAccuracy.map { $0.meters > 0 && $0.meters.isFinite } != false,
            "\(context)")
    }

    @Test("one byte in 200 changed: nothing traps, and no value is one that a fix cannot have")
    func bytes() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            var text = Array(Self.clean.utf8)
            for _ in 0..<(text.count / 200) {
                let index = Int.random(in: 0..<text.count, using: &generator)
                text[index] = UInt8.random(in: 0...255, using: &generator)
            }
            feed(text, &generator, "seed \(seed)")
        }
    }

    @Test("pieces of lines put together at random never trap")
    func pieces() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let clean = Array(Self.clean.utf8)
        let tokens = [
            "{", "}", "[", "]", "\"", "\\", ",", ":", "\n", "nan", "1e308", "-1e999", "null",
            "\\u00",
            "\"class\":\"TPV\"", "\"class\":\"SKY\"", "\"satellites\":[", "\"mode\":3", "\"lat\":",
            "9",
            "\"time\":\"9999-12-31T23:59:60Z\"", "\"time\":\"0000-01-01T00:00:00+23:59\"", "\u{0}",
            "\"devices\":[{", "\"class\":\"DEVICES\"", "\"hdop\":99999999999999999999", "true",
        ].map { Array($0.utf8) }
        for _ in 0..<200 {
            var text: [UInt8] = []
            for _ in 0..<60 {
                if Bool.random(using: &generator) {
                    text += tokens[Int.random(in: 0..<tokens.count, using: &generator)]
                } else {
                    let start = Int.random(in: 0..<clean.count, using: &generator)
                    let length = Int.random(in: 0..<120, using: &generator)
                    text += clean[start..<min(start + length, clean.count)]
                }
            }
            feed(text, &generator, "seed \(seed)")
        }
    }

    @Test("every beginning of a line is taken, and none of them is a position")
    func beginnings() {
        let line = Array(GPSDLines.position(0, #""speed":6.8,"track":90,"eph":4"#).utf8)
        for length in 0..<(line.count - 3) {
            if case .position = GPSDReport(line: line[..<length]) {
                Issue.record("\(length) bytes are a position")
            }
        }
    }

    private func feed(_ text: [UInt8], _ generator: inout SeededGenerator, _ context: String) {
        var decoder = GPSDDecoder(configuration: .init(isFile: Bool.random(using: &generator)))
        var position = 0
        var uptime: Int64 = 0
        while position < text.count {
            let end = min(position + Int.random(in: 1...500, using: &generator), text.count)
            uptime += Int64.random(in: 0...400, using: &generator)
            let now = Uptime(milliseconds: uptime)
            decoder.idle(at: now) { check($0, context) }
            decoder.consume(text[position..<end], at: now) { check($0, context) }
            position = end
        }
        decoder.finish(at: Uptime(milliseconds: uptime)) { check($0, context) }
        #expect(decoder.counters.epochs >= decoder.counters.fixes, "\(context)")
    }
}
