import CommandLineTool
import FieldTools
import Glibc
import LinuxSystem
import NMEA
import Timekeeping
import WireFormat

/// `decode`: the epochs of a log, one JSON object a line.
struct DecodeCommand: Command {
    static let declaration = CommandDeclaration(
        "decode", summary: "print one JSON object for each epoch of a log",
        example: "decode --counters drive.nmea",
        discussion: """
            Every receiver epoch gives one line, with or without a position. FILE is an NMEA log \
            (plain, with time stamps before or behind the sentences, with UBX or RTCM3 between \
            them), gpsd JSON (gpspipe -w), GPX, CSV or a recording, each also in UTF-16 with a \
            byte order mark and gzipped; `-` is standard input. Dates stand as they were written: \
            no week rollover is mended. Epochs before the first date have no time, unless --date \
            names the day or --back-fill counts back from that date.
            """,
        positionals: [CommandPositional("FILE", "the log to decode, - for standard input")],
        options: [
            .value("chunk", "N", "read the input in pieces of N bytes", default: "131072"),
            .flag("counters", "one more line at the end: what was accepted, and rejected why"),
            .value("date", "DAY", "of the first epochs where the log does not say, YYYY-MM-DD"),
            .flag("back-fill", "date the first epochs by the first date of the log, read whole"),
        ])

    private static let chunkBounds = 1...1 << 24
    private static let defaultChunk = 1 << 17

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let chunk = try arguments.int("chunk", in: chunkBounds) ?? defaultChunk
        let path = arguments.string("FILE") ?? "-"
        let day = try arguments.string("date").map(day)
        let isBackFilled = arguments.flag("back-fill")
        if isBackFilled, day != nil {
            throw UsageError("--date and --back-fill exclude each other")
        }
        let source = try LogSource(path, chunk: chunk)
        var output = EpochOutput(console.output)
        let counters: LogCounters
        switch source.form {
        case .nmea where isBackFilled:
            let bytes = try source.whole()
            counters = .nmea(
                LogDecoder.forEachEpoch(
                    of: bytes, startingOn: DateSearch.firstInstant(of: bytes)?.date
                ) { output.write($0) })
        case .nmea: counters = .nmea(try stream(source, startingOn: day, &output))
        case .track, .recording, .gzip: counters = try whole(source, path, &output)
        }
        if arguments.flag("counters") { output.write(counters) }
        try output.flush()
        return .success
    }

    /// Decodes while it reads, so that a receiver may be at the other end of the pipe.
    private static func stream(
        _ source: LogSource, startingOn day: CalendarDate?, _ output: inout EpochOutput
    ) throws -> NMEACounters {
        var decoder = LogDecoder(startingOn: day)
        source.head.withUnsafeBytes { decoder.consume($0) { output.write($0) } }
        try output.flush()
        while let bytes = try source.next() {
            bytes.withUnsafeBytes { decoder.consume($0) { output.write($0) } }
            try output.flush()
        }
        decoder.finish { output.write($0) }
        return decoder.counters
    }

    private static func whole(
        _ source: LogSource, _ path: String, _ output: inout EpochOutput
    ) throws -> LogCounters {
        let bytes = try source.whole()
        var counters = TrackCounters(bytes: bytes.count)
        func count(_ hasFix: Bool) {
            counters.epochs += 1
            if hasFix { counters.fixes += 1 }
        }
        do throws(RecordingError) {
            if source.form == .recording {
                try RecordedFixes.forEach(of: bytes) {
                    count($0.coordinate != nil)
                    output.write($0)
                }
            } else {
                let track = try TrackFile.read(bytes)
                for fix in track.fixes {
                    count(fix.coordinate != nil)
                    output.write(fix)
                }
                if let gpsd = track.gpsd { return .gpsd(gpsd) }
            }
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
        return .track(counters)
    }

    private static func day(_ text: String) throws -> CalendarDate {
        guard text.utf8.count == 10, let time = UTCTime(rfc3339: "\(text)T00:00:00Z") else {
            throw UsageError("--date: '\(text)' is not like 2026-01-31")
        }
        return time.date
    }
}
