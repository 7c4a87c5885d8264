import CommandLineTool
import GeofenceAgent
import WireFormat

/// `geofenced fences explain`: why there is no event.
enum FencesExplainCommand: Command {
    static let declaration = CommandDeclaration(
        "fences explain", summary: "say why a fence has no event",
        example: "fences explain depot-4",
        discussion: """
            Shows how far the device is from the boundary, what each rule of the next arrival or \
            departure lacks, and how far the dwell clock has come.
            """,
        positionals: [CommandPositional("ID", "the fence")],
        options: [
            ConfigurationLoading.option,
            .flag("json", "one JSON object, schema geofenced.fence-explanation/1"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        var request = ControlRequest(.explainFence)
        request.subject = arguments.string("ID")
        let line = try ExplanationCall.line(request, arguments)
        if arguments.flag("json") {
            try console.print(String(decoding: line, as: UTF8.self))
        } else {
            for words in try WireCoding.decode(FenceReport.self, from: line).words {
                try console.print(words)
            }
        }
        return .success
    }
}
