import CommandLineTool
import GeofenceAgent
import LinuxSystem
import WireFormat

/// `geofenced watch`: what happens, as it happens.
enum WatchCommand: Command {
    static let declaration = CommandDeclaration(
        "watch", summary: "show events as they happen", example: "watch --json",
        discussion: """
            Starts with what happens from now on, or with --since at an earlier event. When the agent
            is restarted, watching goes on where it was; no event is left out or comes twice. Fixes
            and health reports are not stored: those of the time between are not shown.
            """,
        options: [
            ConfigurationLoading.option,
            .value("since", "SEQ", "begin after this sequence number"),
            .flag("fixes", "also every fix with the quality gate's verdict"),
            .flag("json", "one JSON object a line"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let path = try ControlCall.path(arguments)
        var cursor = WatchCursor(
            since: try arguments.int("since", in: 0...Int(Int32.max)).map(Int64.init))
        var call: ControlCall? = try open(path, cursor, arguments)
        while true {
            guard let open = call else {
                try await Task.sleep(for: .seconds(1))
                // The agent is being restarted; what is missed meanwhile is asked for afterwards.
                call = try? self.open(path, cursor, arguments)
                continue
            }
            let line: [UInt8]?
            do throws(UnixSocketClient.Failure) { line = try open.line(milliseconds: nil) } catch {
                line = nil
            }
            guard let line, try take(line, &cursor, arguments, console) else {
                call = nil
                continue
            }
        }
    }

    private static func open(
        _ path: String, _ cursor: WatchCursor, _ arguments: ParsedArguments
    ) throws -> ControlCall {
        try ControlCall(cursor.request(fixes: arguments.flag("fixes")), at: path)
    }

    /// Takes in one line; false where the stream is over and is to be opened again.
    private static func take(
        _ line: [UInt8], _ cursor: inout WatchCursor, _ arguments: ParsedArguments,
        _ console: Console
    ) throws -> Bool {
        if let refusal = ControlCall.refusal(line) {
            guard refusal.isTransient else { throw CommandFailure(refusal.error.message) }
            console.note(refusal.error.message)
            return false
        }
        let head = try WireCoding.decode(WatchLine.self, from: line)
        switch head.kind {
        case "hello":
            cursor.take(try WireCoding.decode(WatchHello.self, from: line))
            return true
        case "lost":
            console.note("reading too slowly: fixes and health reports were left out")
            return false
        default: break
        }
        if arguments.flag("json") {
            try console.stream(String(decoding: line, as: UTF8.self))
        } else {
            try console.stream(try text(line, head))
        }
        if let epoch = head.queueEpoch, let sequence = head.sequence {
            cursor.passed(epoch, sequence)
        }
        return true
    }

    private static func text(_ line: [UInt8], _ head: WatchLine) throws -> String {
        switch head.kind {
        case "event": EventText.line(try WireCoding.decode(WireEvent.self, from: line))
        case "health": "receiver \(head.state ?? "") \(head.reason ?? "")"
        case "fix": FixText.line(try WireCoding.decode(FixReport.self, from: line))
        case "notification":
            NotificationText.line(try WireCoding.decode(ShownNotification.self, from: line))
        case "checkin":
            [head.state, head.fenceID, head.code, head.reason].compactMap { $0 }
                .joined(separator: " ")
        case "error": "error \(head.code ?? ""): \(head.message ?? "")"
        default: "\(head.kind) \(head.fenceID ?? "")"
        }
    }
}

/// How far a watcher has come, over reconnections and epochs.
struct WatchCursor {
    /// What the user asked for; of the epoch that is current at the first hello.
    private var since: Int64?
    /// The last sequence number of each epoch; nil before the first hello.
    private var positions: [String: Int64]?

    init(since: Int64?) {
        self.since = since
    }

    func request(fixes: Bool) -> ControlRequest {
        ControlRequest(.watch, since: since, positions: positions, fixes: fixes)
    }

    /// Where a stream begins; the first one counts.
    mutating func take(_ hello: WatchHello) {
        guard positions == nil else { return }
        positions = hello.positions
        if let since { positions?[hello.queueEpoch] = since }
    }

    mutating func passed(_ epoch: String, _ sequence: Int64) {
        let before = positions?[epoch] ?? 0
        positions?[epoch] = max(before, sequence)
    }
}

/// What `watch` looks at in a line of the stream, whatever its kind.
private struct WatchLine: Decodable {
    var kind: String
    var queueEpoch: String?
    var sequence: Int64?
    var state: String?
    var reason: String?
    var code: String?
    var message: String?
    var fenceID: String?

    enum CodingKeys: String, CodingKey {
        case kind, state, reason, code, message
        case sequence = "seq"
        case queueEpoch = "queue_epoch"
        case fenceID = "fence_id"
    }
}
