import Delivery
import Foundation
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import AgentStorage

@Suite("Who may have the queue")
struct DrainLockTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func open(isDrain: Bool = false) throws(QueueError) -> SQLiteEventQueue {
        try SQLiteEventQueue(
            directory: folder.path + "/state", deviceID: "d", hardwareID: nil, isDrain: isDrain,
            timekeeper: SettableTimekeeper(), log: LogCollector())
    }

    @Test("an agent is refused at once where another agent has it, a drain by either")
    func refusal() throws {
        for (holder, other) in [(false, false), (false, true), (true, true)] {
            let queue = try open(isDrain: holder)
            let began = Date()
            #expect(throws: QueueError.self) { try open(isDrain: other) }
            #expect(Date().timeIntervalSince(began) < 2)
            #expect(!queue.isWanted())
            queue.close()
        }
    }

    @Test("a drain hears of an agent that waits, and the agent gets the queue with all its events")
    func handOver() throws {
        let queue = try open(isDrain: true)
        _ = try queue.commit(SampleEvents.drafts(3), state: .none)
        let isWanted = queue.isWanted
        #expect(!isWanted())
        let pending = Mutex<Int64?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let agent = try? open()
            let count = agent?.counts.pending
            agent?.close()
            pending.withLock { $0 = count }
            isOver.signal()
        }
        let began = Date()
        while !isWanted(), Date().timeIntervalSince(began) < 4 { usleep(5000) }
        #expect(isWanted())
        queue.close()
        isOver.wait()
        #expect(pending.withLock { $0 } == 3)
        #expect(!isWanted())
    }

    @Test("an agent that waits for a drain that goes on is refused after five seconds")
    func stubborn() throws {
        let queue = try open(isDrain: true)
        defer { queue.close() }
        let began = Date()
        #expect(
            throws: QueueError.heldByAnotherProcess(
                path: folder.path + "/state/queue.lock", pid: getpid())
        ) { try open() }
        #expect(Date().timeIntervalSince(began) > 4)
        #expect(!queue.isWanted())
    }
}
