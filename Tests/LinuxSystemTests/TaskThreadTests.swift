import Foundation
import LinuxSystem
import Synchronization
import Testing

@Suite("Task thread")
struct TaskThreadTests {
    private static var threadName: String {
        FileContents.line("/proc/thread-self/comm") ?? ""
    }

    actor Counter {
        private(set) var count = 0
        private(set) var threads: Set<String> = []

        func add() {
            count += 1
            threads.insert(TaskThreadTests.threadName)
        }
    }

    @Test("tasks, their children, and the actors that they call run on the one thread")
    func runsTasks() async throws {
        let thread = try TaskThread.shared()
        let counter = Counter()
        let names = await Task(executorPreference: thread) {
            await withTaskGroup(of: String.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        await counter.add()
                        await Task.yield()
                        return Self.threadName
                    }
                }
                return await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
        }.value
        #expect(names == ["tasks"])
        #expect(await counter.count == 200)
        #expect(await counter.threads == ["tasks"])
        #expect(try TaskThread.shared() === thread)
    }

    @Test("delayed work runs on the thread, unless it is cancelled in time")
    func delays() throws {
        let thread = try TaskThread.shared()
        let rung = Mutex<[String]>([])
        let done = try WakeEvent()
        let cancelled = thread.perform(afterMilliseconds: 30) {
            rung.withLock { $0.append("cancelled") }
        }
        let distant = thread.perform(afterMilliseconds: .max) {
            rung.withLock { $0.append("distant") }
        }
        _ = thread.perform(afterMilliseconds: 60) {
            rung.withLock { $0.append(Self.threadName) }
            done.signal()
        }
        thread.cancel(cancelled)
        #expect(done.wait(milliseconds: 10_000))
        thread.cancel(distant)
        #expect(rung.withLock { $0 } == ["tasks"])
    }
}
