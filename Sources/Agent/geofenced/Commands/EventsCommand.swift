import CommandLineTool
import GeofenceAgent
import WireFormat

/// `geofenced events`: what the agent has recorded.
enum EventsCommand: Command {
    static let declaration = CommandDeclaration(
        "events", summary: "show recorded events, oldest first", example: "events --since 120",
        options: [
            ConfigurationLoading.option,
            .value("since", "SEQ", "only events after this sequence number"),
            .value("limit", "N", "at most so many", default: "100"),
            .flag("json", "one JSON object a line"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let request = ControlRequest(
            .events, since: try arguments.int("since", in: 0...Int(Int32.max)).map(Int64.init),
            limit: try arguments.int("limit", in: 1...ControlResponder.greatestLimit))
        let call = try ControlCall(request, at: try ControlCall.path(arguments))
        while let line = try call.next() {
            if arguments.flag("json") {
                try console.print(String(decoding: line, as: UTF8.self))
            } else {
                let event = try WireCoding.decode(WireEvent.self, from: line)
                try console.print(EventText.line(event))
            }
        }
        return .success
    }
}
