import CommandLineTool
import FieldTools
import Geodesy

/// `bench geodesy`: how fast this machine measures fences and ranks them.
struct GeodesyBenchCommand: Command {
    static let declaration = CommandDeclaration(
        "bench geodesy", summary: "measure how fast fences are measured and ranked",
        example: "bench geodesy --seconds 1",
        discussion: """
            A drive through a seeded world is measured again and again on one core until --seconds \
            are over; the best pass counts.
            """,
        options: [
            .value("seconds", "S", "how long to measure, 0.1 to 600", default: "3"), .json,
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let seconds = try arguments.double("seconds", in: 0.1...600) ?? 3
        guard let center = Coordinate(latitude: 48.1, longitude: 11.5) else { return .failure }
        let benchmark = try GeodesyBenchmark(center: center)
        let clock = ContinuousClock()
        let start = clock.now
        var distances = Double.infinity
        var ranking = Double.infinity
        var sum = 0.0
        repeat {
            let begin = clock.now
            sum += benchmark.measureDistances()
            let middle = clock.now
            sum += Double(benchmark.rank())
            let end = clock.now
            distances = min(distances, begin.duration(to: middle) / .seconds(1))
            ranking = min(ranking, middle.duration(to: end) / .seconds(1))
        } while start.duration(to: clock.now) < .seconds(seconds)
        guard sum.isFinite else { throw CommandFailure("a distance was not a number") }
        try console.print(
            benchmark.report(
                distanceSeconds: distances, rankSeconds: ranking, asJSON: arguments.flag("json")))
        return .success
    }
}
