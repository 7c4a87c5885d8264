import Delivery
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AgentStorage

@Suite("Whose the queue's files are")
struct OwnershipTests {
    static let isRoot = getuid() == 0
    static let nobody: uid_t = 65_534
    private let directory: TemporaryDirectory
    private let state: String

    init() throws {
        directory = try TemporaryDirectory()
        state = directory.file("state")
        try FileManager.default.createDirectory(
            atPath: state, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
    }

    private func owners() throws -> [String: uid_t] {
        var found: [String: uid_t] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: state) {
            var status = stat()
            try #require(lstat("\(state)/\(name)", &status) == 0)
            found[name] = status.st_uid
        }
        return found
    }

    private func open() throws -> SQLiteEventQueue {
        try openQueue(
            in: directory, limits: StorageLimits(ballastBytes: 65_536, breadcrumbBytes: 8_388_608))
    }

    @Test(
        "root salvages the agent's queue, and everything that it makes is the agent's",
        .enabled(if: isRoot, "needs root"))
    func salvage() throws {
        chown(state, Self.nobody, Self.nobody)
        let first = try open()
        _ = try first.commit(SampleEvents.drafts(120), state: .none)
        first.close()
        let path = "\(state)/queue.db"
        var bytes = try #require(SharedFolder.readFile(path))
        for index in 0..<100 { bytes[index] = 0 }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        for name in ["queue.lock", "queue.epoch", "ballast"] { unlink("\(state)/\(name)") }
        chown(path, Self.nobody, Self.nobody)

        let queue = try open()
        queue.keep(crumbs(0..<3))
        queue.maintain(at: .init(milliseconds: 0))
        #expect(queue.health == .durable)
        let found = try owners()
        let expected = [
            "queue.db", "queue.db-wal", "queue.db-shm", "queue.lock", "queue.epoch", "ballast",
            "quarantine", "positions.db", "positions.db-wal", "positions.db-shm",
        ]
        #expect(Set(expected).isSubset(of: found.keys), "\(found.keys)")
        #expect(found.keys.contains { $0.hasPrefix("quarantine/") })
        #expect(found.filter { $0.value != Self.nobody } == [:])
        queue.close()
        #expect(try owners().filter { $0.value != Self.nobody } == [:])
    }

    @Test(
        "in a folder of root's that a group writes to, they are of whom the queue is",
        .enabled(if: isRoot, "needs root"), arguments: ["queue.db", "queue.lock", ""])
    func sharedFolder(witness: String) throws {
        chmod(state, 0o770)
        if !witness.isEmpty {
            try Data().write(to: URL(fileURLWithPath: "\(state)/\(witness)"))
            chown("\(state)/\(witness)", Self.nobody, 0)
        }
        let queue = try open()
        let expected = witness.isEmpty ? 0 : Self.nobody
        #expect(try owners().filter { $0.value != expected } == [:])
        #expect(StateOwnership(of: state)?.user == expected)
        queue.close()
    }

    @Test(
        "what cannot be given to its user is told, and not left behind",
        .enabled(if: isRoot, "needs root"))
    func refused() throws {
        chmod(directory.path, 0o711)
        chown(state, 4242, 4242)
        chmod(state, 0o777)
        let path = "\(state)/queue.db"
        let (folder, words) = (state, "it cannot be given to uid 4242")
        let problems = asNobody {
            var problems: [String] = []
            func note(_ work: () throws -> Void) {
                do { try work() } catch { problems.append("\(error)") }
            }
            note { _ = try QueueFiles.openOrMake(path, O_RDWR) }
            note { try QueueFiles.makeEmptyFile(path) }
            note { try QueueFiles.makeFolder("\(folder)/quarantine") }
            note { _ = try QueueLock("\(folder)/queue.lock") }
            return problems
        }
        #expect(problems.count == 4)
        for problem in problems { #expect(problem.contains(words), "\(problem)") }
        #expect(try owners() == [:])
    }

    @Test(
        "root does not write where a link of the agent's user leads",
        .enabled(if: isRoot, "needs root"))
    func links() throws {
        let victim = directory.file("victim")
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: victim))
        chmod(victim, 0o644)
        chown(state, Self.nobody, Self.nobody)
        for name in ["queue.lock", "queue.db", "queue.epoch"] {
            let path = "\(state)/\(name)"
            symlink(victim, path)
            #expect(throws: QueueError.self) { try QueueFiles.openOrMake(path, O_RDWR | O_TRUNC) }
        }
        #expect(throws: QueueError.self) { try QueueLock("\(state)/queue.lock") }
        #expect(SharedFolder.readFile(victim) == [1, 2, 3])
        var status = stat()
        #expect(stat(victim, &status) == 0 && status.st_mode & 0o777 == 0o644)
        #expect(status.st_uid == 0)
    }

    @Test("those of somebody else are found, in quarantine, too")
    func strangers() throws {
        let queue = try open()
        queue.close()
        let own = try #require(StateOwnership(of: state))
        #expect(own.user == geteuid() && own.strangers == [])
        #expect(StateOwnership(of: "\(state)/none") == nil)
        guard Self.isRoot else { return }
        mkdir("\(state)/quarantine", 0o700)
        try Data().write(to: URL(fileURLWithPath: "\(state)/quarantine/1_2-queue.db"))
        for name in try owners().keys { chown("\(state)/\(name)", Self.nobody, 0) }
        chown(state, Self.nobody, 0)
        #expect(StateOwnership(of: state)?.strangers == [])
        mkdir("\(state)/lost+found", 0o700)
        chown("\(state)/queue.db", 0, 0)
        chown("\(state)/quarantine/1_2-queue.db", 4242, 0)
        let found = try #require(StateOwnership(of: state))
        #expect(found.user == Self.nobody)
        #expect(
            found.strangers == [
                .init(path: "\(state)/quarantine/1_2-queue.db", user: 4242),
                .init(path: "\(state)/queue.db", user: 0),
            ])
    }

    @Test(
        "a refusal for want of permission names the owner and the remedy",
        .enabled(if: isRoot, "needs root"))
    func advice() throws {
        let path = "\(state)/queue.db"
        #expect(QueueFiles.refusal(path, EROFS) == "Read-only file system")
        #expect(QueueFiles.refusal(path, EACCES) == "Permission denied")
        chown(state, 4242, 0)
        #expect(
            QueueFiles.refusal(path, EACCES)
                == "Permission denied: \(state) belongs to uid 4242, this process is uid 0; where "
                + "that is the agent's user, 'chown 0 \(state)'")
        try Data().write(to: URL(fileURLWithPath: path))
        chmod(path, 0o400)
        #expect(QueueFiles.refusal(path, EACCES).contains("'chmod u+rwX \(path)'"))
        chown(path, 4243, 0)
        #expect(QueueFiles.refusal(path, EPERM).contains("\(path) belongs to uid 4243"))
        #expect(QueueFiles.refusal(path, ENOSPC) == "No space left on device")
    }

    /// On a thread without root's capabilities over files: setfsuid(2) counts for one thread.
    private func asNobody(_ body: @escaping @Sendable () -> [String]) -> [String] {
        let result = Mutex<[String]>([])
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            typealias SetUser = @convention(c) (uid_t) -> Int32
            if let symbol = dlsym(nil, "setfsuid") {
                _ = unsafeBitCast(symbol, to: SetUser.self)(Self.nobody)
                let found = body()
                result.withLock { $0 = found }
            }
            done.signal()
        }
        done.wait()
        return result.withLock { $0 }
    }
}
