import NMEA
import Positioning
import Timekeeping

/// NMEA logs: plain, with a time of reception before each sentence (`2026-01-31T12:00:00.123Z`), or
/// as Android's loggers write them (`NMEA,$...,ms`).
enum NMEATrack {
    static func fixes(of text: [UInt8]) -> [Fix] {
        var decoder = NMEADecoder(configuration: .init(isFile: true))
        var fixes: [Fix] = []
        var position = 0
        while position < text.count {
            let end = text[position...].firstIndex(of: 0x0A) ?? text.count
            let line = text[position..<min(end + 1, text.count)]
            position = end + 1
            decoder.consume(sentence(of: line), at: Uptime(milliseconds: 0)) { fixes.append($0) }
        }
        decoder.finish { fixes.append($0) }
        return fixes
    }

    /// The line without what loggers put behind the sentence; the decoder skips what is before it.
    private static func sentence(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard line.starts(with: "NMEA,".utf8), let star = line.lastIndex(of: UInt8(ascii: "*")),
            star + 3 < line.endIndex, line[star + 3] == UInt8(ascii: ",")
        else { return line }
        return line[..<(star + 3)] + [0x0D, 0x0A]
    }
}
