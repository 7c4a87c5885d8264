import CommandLineTool
import FieldTools
import Geodesy

/// `bench fences`: how fast this machine decides.
struct FenceBenchCommand: Command {
    static let declaration = CommandDeclaration(
        "bench fences", summary: "measure how fast a fix is decided about 18 fences",
        example: "bench fences --json",
        discussion: """
            A seeded drive between 18 fences, circles and polygons of 4 to 200 corners, is decided \
            again and again on one core until --seconds are over; the best pass counts. The whole \
            decision is measured: quality gate, signed distances, state machine; then the same \
            drive through the agent's pipeline, as a replay runs it. A first pass that measures \
            every fence at every fix must decide the same. --export leaves the fences and the \
            positions for another program to measure.
            """,
        options: [
            .value("fixes", "N", "fixes of the drive, 1000 to 10000000", default: "1000000"),
            .value("seed", "N", "of fences and drive", default: "1"),
            .value("seconds", "S", "how long to measure, 0.1 to 600", default: "5"),
            .value("export", "DIR", "write fences.geojson and positions.f64 there"),
            .json,
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let seconds = try arguments.double("seconds", in: 0.1...600) ?? 5
        let fixes = try arguments.int("fixes", in: 1000...10_000_000) ?? 1_000_000
        let seed = try arguments.int("seed", in: 0...Int.max) ?? 1
        guard let center = Coordinate(latitude: 48.1, longitude: 11.5) else { return .failure }
        let town = BenchmarkTown(center: center, fixes: fixes, seed: UInt64(seed))
        if let folder = arguments.string("export") { try export(town, to: folder) }

        let benchmark = try FenceBenchmark(town)
        let expected = benchmark.decide(isExhaustive: true)
        let clock = ContinuousClock()
        let start = clock.now
        var decision = Double.infinity
        var replay = Double.infinity
        repeat {
            let begin = clock.now
            let decided = benchmark.decide()
            let middle = clock.now
            let replayed = benchmark.replay()
            let end = clock.now
            guard decided == expected, replayed == expected else {
                throw CommandFailure("two ways through the same drive decided differently")
            }
            decision = min(decision, begin.duration(to: middle) / .seconds(1))
            replay = min(replay, middle.duration(to: end) / .seconds(1))
        } while start.duration(to: clock.now) < .seconds(seconds)
        try console.print(
            benchmark.report(
                expected, decisionSeconds: decision, replaySeconds: replay,
                asJSON: arguments.flag("json")))
        return .success
    }

    private static func export(_ town: BenchmarkTown, to folder: String) throws {
        for (name, bytes) in [
            ("fences.geojson", Array(town.fenceDocument.utf8)),
            ("positions.f64", town.positionBytes),
        ] {
            let file = try OutputFile("\(folder)/\(name)")
            try file.write(bytes)
            try file.finish()
        }
    }
}
