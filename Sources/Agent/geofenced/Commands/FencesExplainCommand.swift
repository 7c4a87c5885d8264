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
        let id = arguments.string("ID") ?? ""
        request.subject = id
        let line = try ControlCall.line(request, about: id, arguments)
        return try ExplanationText.print(line, of: FenceReport.self, arguments, console)
    }
}
