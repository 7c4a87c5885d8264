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
        // Taken in before anything is printed: the agent does not wait for a pager.
        var lines: [[UInt8]] = []
        var failure: (any Error)?
        do { try Self.collect(from: call, into: &lines, console) } catch { failure = error }
        for line in lines {
            if arguments.flag("json") {
                try console.print(String(decoding: line, as: UTF8.self))
            } else {
                let event = try WireCoding.decode(WireEvent.self, from: line)
                try console.print(EventText.line(event))
            }
        }
        if let failure { throw failure }
        return .success
    }

    /// Throws where the answer ends before the agent says that it does.
    private static func collect(
        from call: ControlCall, into lines: inout [[UInt8]], _ console: Console
    ) throws {
        while let line = try call.next() {
            if let end = try? WireCoding.decode(ControlEnd.self, from: line) {
                guard end.end.count == lines.count else { break }
                if let count = end.end.unreadable {
                    console.note("\(count) stored events cannot be read: the agent's log says why")
                }
                return
            }
            lines.append(line)
        }
        throw CommandFailure(
            "\(call.path): the answer is not complete, it ends after \(lines.count) events")
    }
}
