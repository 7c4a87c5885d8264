import AgentStorage
import CommandLineTool
import Delivery
import EmbeddedAgent
import GeofenceAgent
import WireFormat

/// The queue on the disk, read beside a running agent or without one; nothing is written.
struct StoredQueue {
    private let reader: SQLiteQueueReader
    private let anchors: [ClockAnchor]
    let counts: QueueCounts

    /// Events that are read at once.
    private static let page = 500

    /// The queue that the configuration names.
    init(_ arguments: ParsedArguments) throws {
        let directory = AgentPaths(try ConfigurationLoading.delivery(arguments)).stateDirectory
        if let problem = StoredQueueProblem(at: directory) { throw Self.failure(problem) }
        do throws(QueueError) {
            reader = try SQLiteQueueReader(directory: directory)
            anchors = try reader.clockAnchors()
            counts = try reader.counts()
        } catch {
            throw Self.failure(StoredQueueProblem(error))
        }
    }

    /// Hands over the pending events, oldest first, until `visit` answers false.
    func forEachPending(_ visit: (QueuedEvent) -> Bool) throws {
        do throws(QueueError) { try reader.forEachPending(visit) } catch {
            throw Self.failure(StoredQueueProblem(error))
        }
    }

    /// The newest dead letters, newest first.
    func deadLetters(limit: Int) throws -> [QueuedEvent] {
        do throws(QueueError) { return try reader.deadLetters(limit: limit) } catch {
            throw Self.failure(StoredQueueProblem(error))
        }
    }

    /// Hands over all events, oldest first; what a running agent records meanwhile comes, too.
    func forEach(_ visit: (QueuedEvent) throws -> Void) throws {
        var last = Int64.min
        while true {
            let events: [QueuedEvent]
            do throws(QueueError) {
                events = try reader.events(after: last, limit: Self.page)
            } catch {
                throw Self.failure(StoredQueueProblem(error))
            }
            guard let newest = events.last else { return }
            for event in events { try visit(event) }
            last = newest.key
        }
    }

    private static func failure(_ problem: StoredQueueProblem) -> CommandFailure {
        CommandFailure(
            problem.description, status: problem.isOfInstallation ? .configuration : .failure)
    }

    /// As `--json` shows an event, with the times that its boot's anchor gives it; nil: its bytes are
    /// no event.
    func report(_ event: QueuedEvent) -> StoredEventReport? {
        try? StoredEventReport(event, anchors: anchors)
    }
}
