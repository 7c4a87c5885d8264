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
        let line = try ExplanationCall.line(request, arguments)
        if arguments.flag("json") {
            try console.print(String(decoding: line, as: UTF8.self))
        } else {
            for words in try WireCoding.decode(EventReport.self, from: line).words {
                try console.print(words)
            }
        }
        return .success
    }
}

/// A question whose answer is one line.
enum ExplanationCall {
    static func line(_ request: ControlRequest, _ arguments: ParsedArguments) throws -> [UInt8] {
        let call = try ControlCall(request, at: try ControlCall.path(arguments))
        guard let line = try call.next() else {
            throw CommandFailure("\(call.path): the agent closed the connection")
        }
        return line
    }
}
