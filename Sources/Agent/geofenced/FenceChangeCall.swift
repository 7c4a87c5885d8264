import CommandLineTool
import GeofenceAgent
import WireFormat

/// Asks the agent to change the fences of the device, and shows what it did.
enum FenceChangeCall {
    static func run(
        adding input: FenceInput, _ arguments: ParsedArguments, _ console: Console
    ) throws -> ExitCode {
        var request = ControlRequest(.addFences)
        request.fences = input.fences
        return try run(request, arguments, console, wordsFor: input.line(answer:))
    }

    static func run(
        removing ids: [String], _ arguments: ParsedArguments, _ console: Console
    ) throws -> ExitCode {
        var request = ControlRequest(.removeFences)
        request.ids = ids
        return try run(request, arguments, console)
    }

    private static func run(
        _ request: ControlRequest, _ arguments: ParsedArguments, _ console: Console,
        wordsFor words: (Problem.Defect) -> String = \.placedDescription
    ) throws -> ExitCode {
        let call = try ControlCall(request, at: try ControlCall.path(arguments))
        let line = try call.answer { refusal in
            guard let defects = refusal.error.defects, !defects.isEmpty else {
                return refusal.error.message
            }
            return defects.map(words).joined(separator: "\n")
        }
        guard !arguments.flag("json") else {
            try console.print(String(decoding: line, as: UTF8.self))
            return .success
        }
        let change = try WireCoding.decode(FenceListChange.self, from: line)
        for id in change.added { try console.print("added \(id)") }
        for id in change.replaced { try console.print("replaced \(id)") }
        for id in change.removed { try console.print("removed \(id)") }
        for warning in change.warnings { console.note("warning: \(warning)") }
        return .success
    }
}
