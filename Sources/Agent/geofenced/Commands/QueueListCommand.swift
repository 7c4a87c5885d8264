import CommandLineTool
import GeofenceAgent
import WireFormat

/// `geofenced queue list`: what waits for the server.
enum QueueListCommand: Command {
    static let declaration = CommandDeclaration(
        "queue list", summary: "show the events that wait for the server, oldest first",
        example: "queue list --limit 20",
        discussion: """
            Reads the queue on the disk, with the agent running or stopped, and writes nothing. \
            The state directory is the agent's own: use root.
            """,
        options: [
            ConfigurationLoading.option,
            .value("limit", "N", "at most so many", default: "100"),
            .flag("json", "one JSON object a line, schema \(StoredEventReport.schemaName)"),
        ])

    private static let limits = 1...1_000_000

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let limit = try arguments.int("limit", in: limits) ?? 100
        let queue = try StoredQueue(arguments)
        var lines = StoredEventLines(queue, asJSON: arguments.flag("json"))
        var shown = 0
        var failure: (any Error)?
        try queue.forEachPending { event in
            do { try lines.print(event, on: console) } catch { failure = error }
            shown += 1
            return shown < limit && failure == nil
        }
        if let failure { throw failure }
        lines.finish(on: console)
        if queue.counts.pending == 0 { console.note("0 events wait") }
        if queue.counts.pending > Int64(shown) {
            console.note("\(queue.counts.pending) events wait in all, see --limit")
        }
        return .success
    }
}
