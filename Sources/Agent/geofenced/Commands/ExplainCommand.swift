import CommandLineTool
import GeofenceAgent
import WireFormat

/// `geofenced explain`: what an event rests on.
enum ExplainCommand: Command {
    static let declaration = CommandDeclaration(
        "explain", summary: "say why an event happened", example: "explain 17",
        discussion: """
            Shows the rule that decided, the distance and accuracy that it compared, how many \
            positions spoke for it, and what was inferred. `fences explain` says why there is none.
            """,
        positionals: [
            CommandPositional("EVENT", "sequence number, or client event id")
        ],
        options: [
            ConfigurationLoading.option,
            .flag("json", "one JSON object, schema geofenced.event-explanation/1"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        var request = ControlRequest(.explain)
        request.subject = arguments.string("EVENT")
        let line = try ControlCall.line(request, arguments)
        return try ExplanationText.print(line, of: EventReport.self, arguments, console)
    }
}
