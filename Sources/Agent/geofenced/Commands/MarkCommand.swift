import CommandLineTool
import GeofenceAgent
import Geofencing
import WireFormat

/// `geofenced mark`: what a person saw, into the recording.
enum MarkCommand: Command {
    static let declaration = CommandDeclaration(
        "mark", summary: "note in the recording what just happened",
        example: "mark --fence depot-4 --kind enter \"over the white line\"",
        discussion: """
            The moment is that of the command. With --fence and --kind the mark is a truth that \
            `geofence-field score` compares decisions with. Nothing is marked while nothing is \
            recorded (recording.enabled).
            """,
        positionals: [CommandPositional("LABEL", "a few words")],
        options: [
            ConfigurationLoading.option,
            .value("fence", "ID", "the fence whose line was crossed, with --kind"),
            .value(
                "kind", "KIND", "what happened there, with --fence",
                oneOf: Transition.Kind.allCases.map(\.rawValue)),
            .flag("json", "one JSON object, schema geofenced.mark/1"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let (fence, kind) = (arguments.string("fence"), arguments.string("kind"))
        guard (fence == nil) == (kind == nil) else {
            throw CommandFailure("--fence and --kind go together", status: .usage)
        }
        var request = ControlRequest(.mark)
        request.mark = ControlRequest.Mark(
            label: arguments.string("LABEL"), fence: fence, kind: kind)
        let call = try ControlCall(request, at: try ControlCall.path(arguments))
        guard let line = try call.next() else {
            throw CommandFailure("\(call.path): the agent closed the connection")
        }
        if arguments.flag("json") {
            try console.print(String(decoding: line, as: UTF8.self))
        } else {
            let answer = try WireCoding.decode(MarkAnswer.self, from: line)
            try console.print("marked\(answer.time.map { " \($0.time.rfc3339)" } ?? "")")
        }
        return .success
    }
}
