import CommandLineTool
import Delivery
import GeofenceAgent

/// `geofenced queue export`: every stored event, for those who take the queue elsewhere.
enum QueueExportCommand: Command {
    static let declaration = CommandDeclaration(
        "queue export", summary: "print every stored event, oldest first, as NDJSON",
        example: "queue export --status pending > queue.ndjson",
        discussion: """
            Each line is {"schema", "status", "event"}; a dead letter has answer and reason, too. \
            The event is the bytes that are sent to the server, its times as they were known when \
            it was recorded. Nothing is written and nothing leaves the queue.
            """,
        options: [
            ConfigurationLoading.option,
            .value(
                "status", "STATUS", "only these events",
                oneOf: ["pending", "acknowledged", "dead"]),
            .flag("json", "what is printed in any case"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let wanted = arguments.string("status")
        let queue = try StoredQueue(arguments)
        var (count, unreadable) = (0, 0)
        try queue.forEach { event in
            guard wanted.map({ $0 == event.statusName }) ?? true else { return }
            guard let line = event.exportLine else {
                unreadable += 1
                return
            }
            try console.print(line)
            count += 1
        }
        console.note("\(count) events")
        guard unreadable == 0 else {
            throw CommandFailure("\(unreadable) stored events cannot be read")
        }
        return .success
    }
}
