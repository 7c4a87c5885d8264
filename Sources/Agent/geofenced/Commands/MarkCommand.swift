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
            recorded (recording.enabled). Needs root or the group geofenced-admin.
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
        let mark = ControlRequest.Mark(label: arguments.string("LABEL"), fence: fence, kind: kind)
        if let defect = mark.defect { throw UsageError(words(defect)) }
        var request = ControlRequest(.mark)
        request.mark = mark
        let line = try ControlCall.line(request, about: fence ?? "", arguments)
        if arguments.flag("json") {
            try console.print(String(decoding: line, as: UTF8.self))
        } else {
            let answer = try WireCoding.decode(MarkAnswer.self, from: line)
            try console.print("marked\(answer.time.map { " \($0.time.rfc3339)" } ?? "")")
        }
        return .success
    }

    /// With the names of the command line.
    private static func words(_ defect: ControlRequest.Mark.Defect) -> String {
        let kinds = Transition.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        switch defect {
        case .emptyLabel: return "LABEL: it is empty, say in a few words what happened"
        case .tooLong("label"):
            return "LABEL: longer than \(ControlRequest.Mark.greatestLength) bytes"
        case .tooLong(let name):
            return "--\(name): longer than \(ControlRequest.Mark.greatestLength) bytes"
        case .fenceWithoutKind: return "--fence needs --kind, one of \(kinds)"
        case .kindWithoutFence: return "--kind needs --fence, the fence whose line was crossed"
        case .unknownKind(let kind): return "--kind: '\(kind)' is not one of \(kinds)"
        }
    }
}
