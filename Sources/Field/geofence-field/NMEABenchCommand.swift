import CommandLineTool
import FieldTools

/// `bench nmea`: how fast this machine decodes a log that is in memory.
struct NMEABenchCommand: Command {
    static let declaration = CommandDeclaration(
        "bench nmea", summary: "measure how fast a log in memory is decoded",
        example: "bench nmea --json drive.nmea",
        discussion: """
            The log is decoded again and again on one core until --seconds are over; the best run \
            counts. Every value of every fix is used, so that nothing is left out. Time is processor \
            time, so that other work on the machine does not count.
            """,
        positionals: [CommandPositional("FILE", "the log to decode")],
        options: [
            .value("seconds", "S", "how long to measure, 0.1 to 600", default: "3"), .json,
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let seconds = try arguments.double("seconds", in: 0.1...600) ?? 3
        guard let path = arguments.string("FILE") else { throw UsageError("FILE is missing") }
        let bytes = try LogSource(path, chunk: 1 << 20).whole()
        guard !bytes.isEmpty else { throw CommandFailure("\(path) is empty") }

        let clock = ContinuousClock()
        let start = clock.now
        var best = Double.infinity
        var runs = 0
        var result = NMEABenchmark.Run()
        repeat {
            let begin = ElapsedClock.processorSeconds
            result = NMEABenchmark.run(bytes)
            best = min(best, ElapsedClock.processorSeconds - begin)
            runs += 1
        } while start.duration(to: clock.now) < .seconds(seconds)
        try console.print(
            NMEABenchmark.report(
                result, bytes: bytes.count, seconds: best, runs: runs,
                asJSON: arguments.flag("json")))
        return .success
    }
}
