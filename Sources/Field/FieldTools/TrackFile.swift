import NMEA
import Positioning
import Timekeeping
import WireFormat

/// Tracks that are no recordings: NMEA logs, gpsd JSON, GPX, CSV.
public enum TrackFile {
    /// The epochs of a file in order, their uptimes counted from the first.
    ///
    /// Throws where the form is not recognised or a line contradicts it.
    public static func fixes(of bytes: [UInt8]) throws(RecordingError) -> [Fix] {
        try read(bytes).fixes
    }

    /// The same, with what was made of the lines where they are gpsd JSON; nil counters: they are not.
    public static func read(
        _ bytes: [UInt8]
    ) throws(RecordingError) -> (fixes: [Fix], gpsd: GPSDCounters?) {
        let text = LogText.normalised(bytes)
        let fixes: [Fix]
        var counters: GPSDCounters?
        switch kind(of: text) {
        case .gpsd:
            let track = try GPSDTrack.read(text)
            fixes = track.fixes
            counters = track.counters
        case .gpx: fixes = try GPXTrack.fixes(of: text)
        case .csv: fixes = try CSVTrack.fixes(of: text)
        case .nmea: fixes = NMEATrack.fixes(of: text)
        case nil: throw unrecognised
        }
        return (timed(fixes), counters)
    }

    /// What `read` throws where it finds none of its forms, as in an empty file.
    public static let unrecognised = RecordingError(
        line: 1, detail: "neither a recording nor a track")

    enum Kind: Sendable {
        case nmea, gpsd, gpx, csv
    }

    private static let lookAhead = 65_536

    static func kind(of text: [UInt8]) -> Kind? {
        let head = text.prefix(lookAhead)
        guard let first = head.first(where: { $0 > 0x20 }) else { return nil }
        if first == UInt8(ascii: "{") { return .gpsd }
        if first == UInt8(ascii: "<") { return .gpx }
        if head.contains(UInt8(ascii: "$")) { return .nmea }
        let line = head.prefix { $0 != 0x0A }
        return CSVTrack.columns(of: line) == nil ? nil : .csv
    }

    /// Gives epochs without a time of reception one that follows their own time.
    ///
    /// An epoch without time, or one whose time goes back, comes right after the one before.
    private static func timed(_ fixes: [Fix]) -> [Fix] {
        var result = fixes
        var previous: (time: UTCTime, uptime: Int64)?
        var last: Int64 = 0
        for index in result.indices {
            var uptime = last + unknownStepMilliseconds
            if let time = result[index].time {
                if let previous, time > previous.time {
                    uptime = previous.uptime + time.milliseconds(since: previous.time)
                } else if previous == nil {
                    uptime = 0
                }
                if previous.map({ time > $0.time }) ?? true {
                    previous = (time, max(uptime, last))
                }
            }
            last = max(last, uptime)
            result[index].uptime = Uptime(milliseconds: last)
        }
        return result
    }

    private static let unknownStepMilliseconds: Int64 = 20
}
