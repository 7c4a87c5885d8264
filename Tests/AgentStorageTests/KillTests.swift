import AgentStorage
import Delivery
import Foundation
import TestSupport
import Testing

/// The child: commits, promises on a file, and settles, until it is killed.
@Suite("A process that will be killed", .enabled(if: CrashWriter.directory != nil))
struct CrashWriterTests {
    @Test("commits and promises until then")
    func write() throws {
        let directory = try #require(CrashWriter.directory)
        let queue = try SQLiteEventQueue(
            directory: directory + "/state", deviceID: "van-7", hardwareID: "serial-1",
            timekeeper: SettableTimekeeper(), log: LogCollector())
        let promises = open(directory + "/promises", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var generator = SeededGenerator(seed: CrashWriter.seed)
        // An end, in case nobody is left to kill it.
        for _ in 0..<20_000 {
            let last = queue.counts.enqueued
            let count = Int.random(in: 1...3, using: &generator)
            let next = last + Int64(count)
            let events = try queue.commit(
                SampleEvents.drafts(count),
                state: StateUpdate(values: [.pipeline: Array("\(next)".utf8)]))
            let line = Array("\(events.last?.position.sequence ?? -1)\n".utf8)
            _ = Glibc.write(promises, line, line.count)
            let some = try queue.pending(.oldest(limit: 4, maxBytes: .max, excluding: []))
            if Bool.random(using: &generator) {
                try queue.settle(some.map { Settlement(key: $0.key, fate: .acknowledged) })
            }
            // An unpaced writer spends its life in fsync, and the kill would miss the rest.
            usleep(UInt32.random(in: 0...3000, using: &generator))
        }
    }
}

/// Starts the child, which is this very program with another filter.
private enum CrashWriter {
    static let variable = "GEOFENCED_CRASH_WRITER"
    private static let seedVariable = "GEOFENCED_CRASH_SEED"
    static var directory: String? { ProcessInfo.processInfo.environment[variable] }
    static var seed: UInt64 {
        ProcessInfo.processInfo.environment[seedVariable].flatMap(UInt64.init) ?? 0
    }

    static func start(in directory: String, seed: UInt64) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        let arguments = [
            "/proc/self/exe", "--filter", "CrashWriterTests", "--testing-library",
            "swift-testing",
        ]
        var list = arguments.map { strdup($0) } + [nil]
        let settings = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        var environment =
            (settings + ["\(variable)=\(directory)", "\(seedVariable)=\(seed)"])
            .map { strdup($0) } + [nil]
        defer { (list + environment).forEach { free($0) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, "/proc/self/exe", &actions, nil, &list, &environment)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
        return pid
    }
}

@Suite("A process that is killed", .enabled(if: CrashWriter.directory == nil))
struct KillTests {
    /// 8, or as many as GEOFENCED_KILLS says.
    static let rounds =
        ProcessInfo.processInfo.environment["GEOFENCED_KILLS"].flatMap(Int.init) ?? 8

    /// Of what the processes do and when they are killed; a new one each time, or GEOFENCED_KILL_SEED.
    static let seed =
        ProcessInfo.processInfo.environment["GEOFENCED_KILL_SEED"].flatMap(UInt64.init)
        ?? UInt64.random(in: 1...1_000_000)

    @Test("loses nothing that it promised, at whatever moment")
    func kill() throws {
        print("kill tests: seed \(Self.seed)")
        var generator = SeededGenerator(seed: Self.seed)
        let directory = try TemporaryDirectory()
        for round in 0..<Self.rounds {
            unlink(directory.file("promises"))
            let pid = try CrashWriter.start(in: directory.path, seed: generator.next())
            var patience = 2000
            while try promises(directory).count < 3, patience > 0 {
                patience -= 1
                usleep(5000)
            }
            usleep(UInt32.random(in: 0...30_000, using: &generator))
            Glibc.kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            let promised = try promises(directory)
            try #require(promised.count >= 3, "the child did not get going")
            let log = LogCollector()
            let queue = try openQueue(in: directory, log: log)
            let last = try #require(promised.last)
            let counts = queue.counts
            #expect(counts.enqueued >= last, "seed \(Self.seed), round \(round)")
            #expect(counts.enqueued <= last + 3, "seed \(Self.seed), round \(round)")
            #expect(counts.isBalanced)
            #expect(try queue.verify())
            let state = try #require(try queue.state(.pipeline))
            #expect(String(decoding: state, as: UTF8.self) == "\(counts.enqueued)")
            #expect(log.messages.isEmpty)
            let sequences = try queue.pending(everything).map(\.position.sequence)
            let settled = counts.enqueued - counts.pending
            #expect(sequences == (settled..<counts.enqueued).map { $0 + 1 })
            queue.close()
        }
    }

    private func promises(_ directory: TemporaryDirectory) throws -> [Int64] {
        let bytes = SharedFolder.readFile(directory.file("promises")) ?? []
        return bytes.split(separator: 10).compactMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
    }
}
