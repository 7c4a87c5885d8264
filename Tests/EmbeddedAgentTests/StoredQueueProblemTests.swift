import Delivery
import EmbeddedAgent
import Foundation
import TestSupport
import Testing

@Suite("A queue that cannot be read")
struct StoredQueueProblemTests {
    @Test("is one that is not there yet, or one for the agent's user alone")
    func place() throws {
        let folder = try TemporaryDirectory()
        let state = folder.file("state")
        #expect(
            StoredQueueProblem(at: state)?.description
                == "no queue yet in \(state): the agent has not run")
        try Data().write(to: URL(fileURLWithPath: folder.file("queue.db")))
        #expect(StoredQueueProblem(at: folder.path) == nil)
        #expect(
            StoredQueueProblem(at: folder.file("queue.db"))?.description.hasSuffix(
                "queue.db: Not a directory") == true)
        guard getuid() != 0 else { return }
        #expect(chmod(folder.file("queue.db"), 0) == 0)
        #expect(StoredQueueProblem(at: folder.path)?.description.hasSuffix("use sudo") == true)
    }

    @Test(
        "has words without SQL, and only a newer version is a matter of what is installed",
        arguments: [
            (
                .storage(path: "/q", detail: "no such table: meta (SELECT value FROM meta)"),
                "/q is no sound queue, or cannot be read now: `geofenced doctor` says more", false
            ),
            (
                .newerVersion(path: "/q", found: 9, supported: 3),
                "/q has version 9, this program knows up to 3: install the newer geofenced", true
            ),
            (.heldByAnotherProcess(path: "/q", pid: 7), "/q is in use by process 7", false),
        ] as [(QueueError, String, Bool)])
    func words(error: QueueError, words: String, isOfInstallation: Bool) {
        let problem = StoredQueueProblem(error)
        #expect(problem.description == words)
        #expect(problem.isOfInstallation == isOfInstallation)
    }
}
