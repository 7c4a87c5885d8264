import CommandLineTool
import FieldTools

/// `bench damage`: what a noisy line does to a log, and whether the quality gate holds.
struct DamageBenchCommand: Command {
    static let declaration = CommandDeclaration(
        "bench damage", summary: "count the wrong positions that a noisy line lets through",
        example: "bench damage --seeds 100 drive.nmea",
        discussion: """
            Each log is sent --seeds times through the live decoder and the quality gate, with one \
            byte in 200 damaged: another byte with odd seeds, one flipped bit with even ones. A \
            position counts as wrong when it lies more than 1 km from where the undamaged log has \
            the receiver. One JSON object for each log; exit status 5 when a wrong position passed \
            the gate, or when so few passed that nothing is proved.
            """,
        positionals: [CommandPositional("FILE", "an NMEA log", .repeated)],
        options: [.value("seeds", "N", "seeds for each log, 1 to 10000", default: "100")])

    /// Of the undamaged log's fixes, what must come through at the least.
    private static let leastShare = 0.2

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let seeds = UInt64(try arguments.int("seeds", in: 1...10_000) ?? 100)
        var isRight = true
        for path in arguments.strings("FILE") {
            let drive = DamagedDrive(try LogSource(path, chunk: 1 << 20).whole())
            var total = DamagedDrive.Outcome()
            var wrongSeeds: [UInt64] = []
            for (seed, outcome) in await outcomes(drive, seeds: seeds) {
                total.add(outcome)
                if !outcome.passedOff.isEmpty { wrongSeeds.append(seed) }
            }
            let isProof = Double(total.passed) >= leastShare * Double(drive.fixes) * Double(seeds)
            if !wrongSeeds.isEmpty || !isProof { isRight = false }
            let farthest = total.passedOff.max().map { "\(Int($0))" } ?? "null"
            try console.print(
                "{\"file\":\"\(path)\",\"seeds\":\(seeds),\"fixes\":\(drive.fixes),"
                    + "\"decoded\":\(total.decoded),\"decoded_off\":\(total.decodedOff),"
                    + "\"passed\":\(total.passed),\"passed_off\":\(total.passedOff.count),"
                    + "\"farthest_m\":\(farthest),\"wrong_seeds\":\(wrongSeeds.sorted())}")
            try console.output.flush()
        }
        return isRight ? .success : .thresholdMissed
    }

    private static func outcomes(
        _ drive: DamagedDrive, seeds: UInt64
    ) async -> [(UInt64, DamagedDrive.Outcome)] {
        await withTaskGroup(of: (UInt64, DamagedDrive.Outcome).self) { group in
            for seed in 1...seeds {
                group.addTask {
                    (seed, drive.run(seed: seed, seed % 2 == 0 ? .flippedBit : .anotherByte))
                }
            }
            var results: [(UInt64, DamagedDrive.Outcome)] = []
            for await result in group { results.append(result) }
            return results
        }
    }
}
