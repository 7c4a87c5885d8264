import CommandLineTool
import GeofenceAgent
import WireFormat

/// `geofenced watch`: what happens, as it happens.
enum WatchCommand: Command {
    static let declaration = CommandDeclaration(
        "watch", summary: "show events as they happen", example: "watch --json",
        discussion: """
            Starts with what happens from now on, or with --since at an earlier event. When the agent
            is restarted, watching goes on where it was.
            """,
        options: [
            ConfigurationLoading.option,
            .value("since", "SEQ", "begin after this sequence number"),
            .flag("fixes", "also every fix with the quality gate's verdict"),
            .flag("json", "one JSON object a line"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let path = try ControlCall.path(arguments)
        var since = try arguments.int("since", in: 0...Int(Int32.max)).map(Int64.init)
        var call: ControlCall? = try open(path, since, arguments)
        while true {
            guard let open = call else {
                try await Task.sleep(for: .seconds(1))
                // The agent is being restarted; what is missed meanwhile is asked for afterwards.
                call = try? self.open(path, since, arguments)
                continue
            }
            let line: [UInt8]?
            do { line = try open.next(milliseconds: nil) } catch { line = nil }
            guard let line else {
                call = nil
                continue
            }
            if let sequence = try show(line, arguments, console) { since = sequence }
        }
    }

    private static func open(
        _ path: String, _ since: Int64?, _ arguments: ParsedArguments
    ) throws -> ControlCall {
        try ControlCall(
            ControlRequest(.watch, since: since, fixes: arguments.flag("fixes")), at: path)
    }

    /// Prints a line; the sequence number of an event, so that watching can go on after it.
    private static func show(
        _ line: [UInt8], _ arguments: ParsedArguments, _ console: Console
    ) throws -> Int64? {
        let head = try WireCoding.decode(WatchLine.self, from: line)
        if arguments.flag("json") {
            try console.stream(String(decoding: line, as: UTF8.self))
        } else {
            try console.stream(try text(line, head))
        }
        return head.sequence
    }

    private static func text(_ line: [UInt8], _ head: WatchLine) throws -> String {
        switch head.kind {
        case "event": EventText.line(try WireCoding.decode(WireEvent.self, from: line))
        case "health": "receiver \(head.state ?? "") \(head.reason ?? "")"
        case "fix": FixText.line(try WireCoding.decode(FixReport.self, from: line))
        case "error": "error \(head.code ?? ""): \(head.message ?? "")"
        default: "\(head.kind) \(head.fenceID ?? "")"
        }
    }
}

/// What `watch` looks at in a line of the stream, whatever its kind.
private struct WatchLine: Decodable {
    var kind: String
    var sequence: Int64?
    var state: String?
    var reason: String?
    var code: String?
    var message: String?
    var fenceID: String?

    enum CodingKeys: String, CodingKey {
        case kind, state, reason, code, message
        case sequence = "seq"
        case fenceID = "fence_id"
    }
}
