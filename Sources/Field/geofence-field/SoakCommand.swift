import CommandLineTool
import FieldTools

/// `soak`: what noise makes of fences, ours and others'.
struct SoakCommand: Command {
    static let declaration = CommandDeclaration(
        "soak", summary: "count false and missed transitions under receiver noise",
        example: "soak --seeds 10 > docs/noise-soak.md",
        discussion: """
            Parks a simulated receiver beside an edge for days, drives it through fences and parks \
            it inside, in four environments; prints what the agent's pipeline told that was not so \
            and what it missed, beside four simple engines on the same fixes. The same options \
            give the same bytes.
            """,
        options: [
            .value("seeds", "N", "days for each cell, 1 to 1000", default: "5"),
            .value("hours", "H", "of each day, 0.1 to 24", default: "24"),
            .value("trials", "N", "drive-throughs and arrivals, 10 to 100000", default: "500"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let report = NoiseSoakReport(
            seeds: try arguments.int("seeds", in: 1...1000) ?? 5,
            hours: try arguments.double("hours", in: 0.1...24) ?? 24,
            trials: try arguments.int("trials", in: 10...100_000) ?? 500)
        let progress = console.progress("parked", total: 16)
        let text = report.text { done, _ in progress.update(done) }
        progress.finish()
        try console.print(text)
        return .success
    }
}
