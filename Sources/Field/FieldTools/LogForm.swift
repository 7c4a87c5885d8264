import WireFormat

/// What kind of log a file is, judged by its beginning.
public enum LogForm: Hashable, Sendable {
    /// Sentences, plain or with whatever loggers put around them.
    case nmea
    case gzip
    /// gpsd JSON, GPX or CSV: what `TrackFile` reads as a whole.
    case track
    /// A recording of the agent.
    case recording

    /// More bytes than these never change the judgement.
    public static let headBytes = 65_536

    /// The form of a log that begins with `head`; nil where more of it has to be seen.
    ///
    /// - Parameter isWhole: nothing follows `head`.
    public static func judge(_ head: [UInt8], isWhole: Bool) -> LogForm? {
        let isEnough = isWhole || head.count >= headBytes
        guard head.count >= 3 || isEnough else { return nil }
        if head.starts(with: [0x1F, 0x8B]) { return .gzip }
        let text = LogText.normalised(head)
        guard let first = text.firstIndex(where: { $0 > 0x20 }) else {
            return isEnough ? .nmea : nil
        }
        switch text[first] {
        case UInt8(ascii: "{"): return object(text[first...], isEnough)
        case UInt8(ascii: "<"):
            return markup(text[first...], isEnough)
        default: return table(text[first...], isEnough)
        }
    }

    /// JSON lines: a recording, gpsd's reports, or gpsd's greeting before sentences (`gpspipe -r`).
    /// Other JSON is searched for sentences like anything else that is not known.
    private static func object(_ text: ArraySlice<UInt8>, _ isEnough: Bool) -> LogForm? {
        guard text.contains(0x0A) || isEnough else { return nil }
        if RecordingReader.recognises(text) { return .recording }
        var rest = text
        while let end = rest.firstIndex(of: 0x0A) {
            if rest.first == UInt8(ascii: "$") { return .nmea }
            if contains(rest[..<end], "\"class\":\"TPV\"") { return .track }
            rest = rest[(end + 1)...]
        }
        guard isEnough else { return nil }
        return contains(rest, "\"class\":\"TPV\"") && rest.first != UInt8(ascii: "$")
            ? .track : .nmea
    }

    /// Whether what begins like an element of XML is one.
    private static func markup(_ text: ArraySlice<UInt8>, _ isEnough: Bool) -> LogForm? {
        guard text.count >= 5 || isEnough else { return nil }
        return text.starts(with: "<?xml".utf8) || text.starts(with: "<gpx".utf8) ? .track : .nmea
    }

    /// CSV where the first line names its columns; sentences, or noise before them, else.
    private static func table(_ text: ArraySlice<UInt8>, _ isEnough: Bool) -> LogForm? {
        let line = text.prefix { $0 != 0x0A }
        if line.contains(UInt8(ascii: "$")) { return .nmea }
        guard line.endIndex < text.endIndex || isEnough else { return nil }
        return CSVTrack.columns(of: line) == nil ? .nmea : .track
    }

    private static func contains(_ bytes: ArraySlice<UInt8>, _ text: StaticString) -> Bool {
        let pattern = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes.count >= pattern.count else { return false }
        return (bytes.startIndex...(bytes.endIndex - pattern.count)).contains { start in
            bytes[start..<(start + pattern.count)].elementsEqual(pattern)
        }
    }
}
