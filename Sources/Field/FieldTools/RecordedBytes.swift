import NMEA
import Positioning
import Timekeeping

/// The decoder under replay: `raw` records in, epochs out, pauses as they were.
struct RecordedBytes: Sendable {
    private var decoder: NMEADecoder
    private var last = Uptime(milliseconds: 0)

    init(_ configuration: NMEADecoder.Configuration) {
        decoder = NMEADecoder(configuration: configuration)
    }

    mutating func consume(_ bytes: [UInt8], at now: Uptime) -> [Fix] {
        var fixes: [Fix] = []
        decoder.consume(bytes, at: now) { fixes.append($0) }
        last = now
        return fixes
    }

    /// A pause that the recording tells of.
    mutating func idle(at now: Uptime) -> [Fix] {
        var fixes: [Fix] = []
        decoder.idle(at: now) { fixes.append($0) }
        return fixes
    }

    /// Closes what a pause closed, at the moment at which it did.
    mutating func pause(until now: Uptime) -> [Fix] {
        var fixes: [Fix] = []
        while let deadline = decoder.idleDeadline, deadline <= now {
            let before = fixes.count
            decoder.idle(at: deadline) { fixes.append($0) }
            if fixes.count == before, decoder.idleDeadline == deadline { break }
        }
        return fixes
    }

    /// The stream ends at `now`, or with the last bytes.
    mutating func finish(at now: Uptime? = nil) -> [Fix] {
        var fixes: [Fix] = []
        decoder.finish(at: now ?? last) { fixes.append($0) }
        return fixes
    }
}
