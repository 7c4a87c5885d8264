import CommandLineTool
import GeofenceAgent

/// `geofenced queue dead`: what the server refused for good, and why.
enum QueueDeadCommand: Command {
    static let declaration = CommandDeclaration(
        "queue dead", summary: "show the events that the server refused for good, newest first",
        example: "queue dead --json",
        discussion: """
            Each with the answer of the server and its reason: `rejected` was said of this event, \
            an HTTP status of a request that held nothing else. They are not sent again; the \
            newest are kept, 1 MiB of them.
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
        let letters = try queue.deadLetters(limit: limit)
        var lines = StoredEventLines(queue, asJSON: arguments.flag("json"))
        for event in letters { try lines.print(event, on: console) }
        lines.finish(on: console)
        if queue.counts.dead == 0 { console.note("0 events were refused for good") }
        if queue.counts.dead > Int64(letters.count) {
            console.note(
                letters.count == limit
                    ? "\(queue.counts.dead) events were refused in all, see --limit"
                    : "\(queue.counts.dead) events were refused in all, the oldest are not kept")
        }
        return .success
    }
}
