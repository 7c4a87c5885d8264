import CommandLineTool
import FieldTools

/// `bench herd`: what a fleet does to a server when an outage ends.
struct HerdBenchCommand: Command {
    static let declaration = CommandDeclaration(
        "bench herd", summary: "count the requests of a fleet after an outage",
        example: "bench herd --devices 10000",
        discussion: """
            Every device has the agent's own upload planner and one event made at some time of the \
            outage, which is of the network or of the server. Printed are the requests in the worst \
            second after its end and how long it took until all events were delivered, beside \
            devices whose planner is told to spread over nothing, and devices that try at fixed \
            times. The same options give the same table.
            """,
        options: [
            .value("devices", "N", "1 to 100000", default: "10000"),
            .value("outage", "S", "its length, 60 to 86400", default: "3600"),
            .value("seed", "N", "of all delays", default: "1"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let bench = HerdBench(
            devices: try arguments.int("devices", in: 1...100_000) ?? 10_000,
            outageSeconds: try arguments.int("outage", in: 60...86_400) ?? 3600,
            seed: UInt64(try arguments.int("seed", in: 0...Int.max) ?? 1))
        try console.print(bench.text())
        return .success
    }
}
