import LinuxSystem
import Positioning
import Synchronization
import Testing
import Timekeeping

@testable import GeofenceAgent

@Suite("The inbox of the control loop")
struct InboxTests {
    private func epoch(_ number: Int) -> SourceEvent {
        .fix(Fix(uptime: Uptime(milliseconds: Int64(number)), source: .nmea))
    }

    @Test("events come out in order, all at once, and the first of them asks to be taken")
    func order() {
        let inbox = Inbox()
        #expect(inbox.put(epoch(0)))
        #expect(!inbox.put(epoch(1)))
        #expect(!inbox.put(.opened))
        #expect(inbox.take().events == [epoch(0), epoch(1), .opened])
        #expect(inbox.take().isEmpty)
        #expect(inbox.put(epoch(2)))
        #expect(inbox.take().events == [epoch(2)])
    }

    @Test("a flood is bounded and counted, and does not push out what is rare")
    func bounded() {
        let inbox = Inbox()
        for number in 0..<10_000 { _ = inbox.put(epoch(number)) }
        _ = inbox.put(.health(SourceHealth(.noDevice, "gone")))
        let delivery = inbox.take()
        #expect(delivery.events.count == Inbox.limit + 1)
        #expect(delivery.dropped == 10_000 - Inbox.limit)
        #expect(delivery.events.last == .health(SourceHealth(.noDevice, "gone")))
        for _ in 0..<10_000 { _ = inbox.put(.opened) }
        #expect(inbox.take().events.count == Inbox.limit + Inbox.reserve)
    }

    @Test("the control loop takes all of a flood or counts it, on its own thread and no other")
    func flood() async throws {
        let thread = try ThreadExecutor(name: "flooded")
        let agent = await AgentFixture(executor: thread)
        let source = ManualSource()
        await agent.tracking.take(from: source, on: TestThread(thread))
        let total = 20_000
        for number in 1...total { source.send(epoch(number)) }
        var counted = 0
        for _ in 0..<1000 {
            let status = await agent.tracking.status(upload: nil)
            counted = (status.fix.verdicts["invalid"] ?? 0) + status.receiver.dropped
            if counted == total { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(counted == total)
        await agent.tracking.close()
        source.send(epoch(1))
        let status = await agent.tracking.status(upload: nil)
        #expect((status.fix.verdicts["invalid"] ?? 0) + status.receiver.dropped == total)
    }

    @Test("time alone shows that a receiver has fallen silent")
    func ticksWithoutInput() async throws {
        let thread = try ThreadExecutor(name: "silent")
        let agent = await AgentFixture(executor: thread)
        let source = ManualSource()
        await agent.tracking.take(from: source, on: TestThread(thread))
        source.send(.health(SourceHealth(.fix, "")))
        source.send(
            .fix(Fix(uptime: agent.time.uptime, dimension: .none, source: .nmea)))
        agent.time.advance(milliseconds: 9000)
        var state = SourceHealth.State.opening
        for _ in 0..<1000 where state != .stale {
            try await Task.sleep(for: .milliseconds(10))
            state = await agent.tracking.receiver.health.state
        }
        #expect(state == .stale)
        await agent.tracking.close()
    }
}

/// A source that tells what it is told to.
private final class ManualSource: FixSource {
    private struct Consumer {
        var deliver: @Sendable (SourceEvent) -> Void
    }

    private let consumer = Mutex<Consumer?>(nil)

    func start(deliver: @escaping @Sendable (SourceEvent) -> Void) {
        consumer.withLock { $0 = Consumer(deliver: deliver) }
    }

    func stop() {}

    func send(_ event: SourceEvent) { consumer.withLock { $0 }?.deliver(event) }
}

private struct TestThread: ControlThread {
    private let executor: ThreadExecutor

    init(_ executor: ThreadExecutor) { self.executor = executor }

    func perform(_ work: @escaping @Sendable () -> Void) { executor.perform(work) }

    func setAlarm(afterMilliseconds delay: Int64, _ ring: @escaping @Sendable () -> Void) {
        executor.setAlarm(afterMilliseconds: delay, ring)
    }
}
