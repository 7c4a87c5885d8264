import Positioning
import Timekeeping
import WireFormat

/// gpsd JSON as `gpspipe -w` writes it, through the decoder that the agent uses.
enum GPSDTrack {
    /// A last line without its newline was cut off and is passed over; any other line that is no
    /// report of gpsd is an error that names it.
    static func read(
        _ text: [UInt8]
    ) throws(RecordingError) -> (fixes: [Fix], counters: GPSDCounters) {
        var decoder = GPSDDecoder(configuration: GPSDDecoder.Configuration(isFile: true))
        var fixes: [Fix] = []
        var number = 0
        var position = 0
        while position < text.count {
            let end = text[position...].firstIndex(of: 0x0A) ?? text.count
            number += 1
            let report = decoder.take(
                line: text[position..<end], at: Uptime(milliseconds: 0)
            ) { fixes.append($0) }
            if case .malformed = report, end < text.count {
                throw RecordingError(line: number, detail: "not a report of gpsd")
            }
            position = end + 1
        }
        decoder.finish { fixes.append($0) }
        return (fixes, decoder.counters)
    }
}
