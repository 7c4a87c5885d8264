import Foundation
import LinuxSystem
import Synchronization
import Testing

@Suite("Poll loop")
struct PollLoopTests {
    @Test("a watched descriptor calls its handler until it is forgotten")
    func watches() throws {
        let loop = try PollLoop(name: "test loop")
        let event = try WakeEvent()
        let handled = try WakeEvent()
        loop.watch(event.number, for: Int16(POLLIN)) { _ in
            event.clear()
            handled.signal()
        }
        event.signal()
        #expect(handled.wait(milliseconds: 10_000))
        handled.clear()
        loop.forget(event.number)
        event.signal()
        #expect(!handled.wait(milliseconds: 50))
        #expect(loop.stop())
    }

    @Test("delayed work runs in the order of its times")
    func delays() throws {
        let loop = try PollLoop(name: "test loop")
        let order = Mutex<[Int]>([])
        let done = try WakeEvent()
        loop.perform(afterMilliseconds: 60) { done.signal() }
        loop.perform(afterMilliseconds: 30) { order.withLock { $0.append(2) } }
        loop.perform(afterMilliseconds: 10) { order.withLock { $0.append(1) } }
        loop.perform { order.withLock { $0.append(0) } }
        #expect(done.wait(milliseconds: 10_000))
        #expect(order.withLock { $0 } == [0, 1, 2])
        #expect(loop.stop())
    }

    @Test("a loop has room for a named number of descriptors")
    func isLimited() throws {
        let loop = try PollLoop(name: "test loop")
        let added = (0..<PollLoop.maximumDescriptors).map {
            loop.watch(10_000 + Int32($0), for: 0) { _ in }
        }
        #expect(!added.contains(false))
        #expect(!loop.watch(1, for: 0) { _ in })
        #expect(loop.stop())
    }
}
