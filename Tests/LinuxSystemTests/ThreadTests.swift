import Foundation
import LinuxSystem
import Synchronization
import Testing

@Suite("Threads")
struct ThreadTests {
    @Test("a thread runs its body under its name, off the pool, with signals blocked")
    func runsItsBody() throws {
        let seen = Mutex<(name: String, blocked: Bool)?>(nil)
        let thread = try DedicatedThread(name: "receiver-and-more") {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            let line = FileContents.line("/proc/thread-self/comm") ?? ""
            seen.withLock { $0 = (line, sigismember(&mask, SIGTERM) == 1) }
        }
        #expect(thread.join(milliseconds: 10_000))
        #expect(seen.withLock { $0?.name } == "receiver-and-mo")
        #expect(seen.withLock { $0?.blocked } == true)
    }

    @Test("join gives up when the time is over")
    func joinGivesUp() throws {
        let gate = try WakeEvent()
        let thread = try DedicatedThread(name: "slow") { _ = gate.wait(milliseconds: 20_000) }
        #expect(!thread.join(milliseconds: 20))
        gate.signal()
        #expect(thread.join(milliseconds: 10_000))
    }

    @Test("a wake event stays until it is taken, once for any number of signals")
    func wakes() throws {
        let event = try WakeEvent()
        #expect(!event.wait(milliseconds: 1))
        event.signal()
        event.signal()
        #expect(event.wait(milliseconds: 0))
        #expect(event.wait(milliseconds: nil))
        #expect(event.clear())
        #expect(!event.clear())
        #expect(!event.wait(milliseconds: 0))
    }

    actor Counter {
        private let executor: ThreadExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }
        private(set) var count = 0
        private(set) var threads: Set<String> = []

        init() throws {
            executor = try ThreadExecutor(name: "counter")
        }

        func add() {
            count += 1
            threads.insert(FileContents.line("/proc/thread-self/comm") ?? "")
        }
    }

    @Test("all jobs of an actor run on its own thread, one after the other")
    func runsJobs() async throws {
        let counter = try Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 { group.addTask { await counter.add() } }
        }
        #expect(await counter.count == 500)
        #expect(await counter.threads == ["counter"])
    }

    @Test("an alarm rings once on the thread of its executor, and a new one takes its place")
    func alarm() throws {
        let executor = try ThreadExecutor(name: "alarmed")
        let rung = Mutex<[String]>([])
        let done = try WakeEvent()
        executor.setAlarm(afterMilliseconds: 30) { rung.withLock { $0.append("replaced") } }
        executor.setAlarm(afterMilliseconds: 60) {
            let thread = FileContents.line("/proc/thread-self/comm") ?? ""
            rung.withLock { $0.append(thread) }
            // Set on its own thread, nobody has to wake it.
            executor.setAlarm(afterMilliseconds: 20) { done.signal() }
        }
        #expect(done.wait(milliseconds: 10_000))
        #expect(rung.withLock { $0 } == ["alarmed"])
    }

    private func threadCount(named name: String) throws -> Int {
        let threads = try FolderListing.names(in: "/proc/self/task")
        return threads.filter { FileContents.line("/proc/self/task/\($0)/comm") == name }.count
    }

    actor Ephemeral {
        private let executor: ThreadExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }
        init() throws { executor = try ThreadExecutor(name: "ephemeral") }
        func work() {}
    }

    @Test("the thread of an executor ends with its actor")
    func endsWithItsActor() async throws {
        for _ in 0..<20 {
            let actor = try Ephemeral()
            await actor.work()
        }
        for _ in 0..<500 {
            if try threadCount(named: "ephemeral") == 0 { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try threadCount(named: "ephemeral") == 0)
    }

    @Test("a footprint counts memory, threads and descriptors of this process")
    func measuresItself() throws {
        let before = try #require(ProcessFootprint.current())
        let events = try (0..<10).map { _ in try WakeEvent() }
        let after = try #require(ProcessFootprint.current())
        #expect(before.residentBytes > 1_000_000)
        #expect(before.threads >= 1)
        #expect(after.openDescriptors >= events.count)
        #expect(after.processorSeconds >= before.processorSeconds)
    }
}
