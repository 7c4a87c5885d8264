import AgentStorage
import CommandLineTool
import Delivery
import EmbeddedAgent
import GeofenceAgent
import WireFormat

/// `geofenced queue positions`: where the device was, as it keeps it for itself.
enum QueuePositionsCommand: Command {
    static let declaration = CommandDeclaration(
        "queue positions", summary: "print the positions that are kept, oldest first, as NDJSON",
        example: "queue positions --limit 3600 > track.ndjson",
        discussion: """
            With `breadcrumbs.enabled` in the configuration the device keeps its positions for \
            itself; they are never uploaded. Each line is a JSON object, schema \
            \(BreadcrumbReport.schemaName). Nothing is written. The last half minute is not on the \
            disk yet.
            """,
        options: [
            ConfigurationLoading.option,
            .value("limit", "N", "only the newest so many"),
            .flag("json", "what is printed in any case"),
        ])

    private static let limits = 1...1_000_000_000

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let limit = try arguments.int("limit", in: limits).map(Int64.init) ?? .max
        let directory = AgentPaths(try ConfigurationLoading.delivery(arguments)).stateDirectory
        guard BreadcrumbReader.exists(in: directory) else {
            console.note("0 positions, see breadcrumbs.enabled in the configuration")
            return .success
        }
        var (count, unreadable) = (0, 0)
        do {
            let anchors = (try? SQLiteQueueReader(directory: directory).clockAnchors()) ?? []
            try BreadcrumbReader(directory: directory).forEach(newest: limit) { crumb in
                guard let crumb else {
                    unreadable += 1
                    return
                }
                let report = BreadcrumbReport(crumb, anchors: anchors)
                try console.print(String(decoding: try WireCoding.encode(report), as: UTF8.self))
                count += 1
            }
        } catch let error as QueueError {
            throw CommandFailure("\(error)")
        }
        console.note("\(count) positions")
        guard unreadable == 0 else {
            throw CommandFailure("\(unreadable) stored positions cannot be read")
        }
        return .success
    }
}
