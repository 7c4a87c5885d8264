import CommandLineTool
import FieldTools
import Glibc
import LinuxSystem

/// `decode`: the epochs of an NMEA log, one JSON object a line.
struct DecodeCommand: Command {
    static let declaration = CommandDeclaration(
        "decode", summary: "print one JSON object for each epoch of an NMEA log",
        example: "decode --counters drive.nmea",
        discussion: """
            Every receiver epoch gives one line, with or without a position. FILE is an NMEA log: \
            plain, with time stamps before or behind the sentences, with UBX or RTCM3 between them, \
            or UTF-16 with a byte order mark; `-` is standard input. Dates stand as they were \
            written: no week rollover is mended.
            """,
        positionals: [CommandPositional("FILE", "the log to decode, - for standard input")],
        options: [
            .value("chunk", "N", "read the input in pieces of N bytes", default: "131072"),
            .flag("counters", "one more line at the end: what was accepted, and rejected why"),
        ])

    private static let chunkBounds = 1...1 << 24
    private static let defaultChunk = 1 << 17

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let chunk = try arguments.int("chunk", in: chunkBounds) ?? defaultChunk
        let path = arguments.string("FILE") ?? "-"
        let input = try LogInput(path, chunk: chunk)
        var output = EpochOutput(console.output)
        var decoder = LogDecoder()
        while let bytes = try input.next() {
            bytes.withUnsafeBytes { decoder.consume($0) { output.write($0) } }
            try output.flush()
        }
        decoder.finish { output.write($0) }
        if arguments.flag("counters") { output.write(decoder.counters) }
        try output.flush()
        return .success
    }
}
