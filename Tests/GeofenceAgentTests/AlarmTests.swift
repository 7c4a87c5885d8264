import LinuxSystem
import Synchronization
import Testing

@testable import GeofenceAgent

/// A service thread whose time stands still.
private final class TimelessThread: ServiceThread {
    private let state = Mutex<(lastTimer: UInt64, waiting: [UInt64: @Sendable () -> Void])>(
        (0, [:]))
    private let thread: TaskThread

    init() throws { thread = try TaskThread.shared() }

    func perform(
        afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void
    ) -> UInt64 {
        state.withLock { state in
            state.lastTimer += 1
            state.waiting[state.lastTimer] = work
            return state.lastTimer
        }
    }

    func cancel(_ timer: UInt64) {
        state.withLock { _ = $0.waiting.removeValue(forKey: timer) }
    }

    var timers: Int { state.withLock { $0.waiting.count } }

    /// The time is over for all that wait.
    func elapse() {
        for work in state.withLock({ Array($0.waiting.values) }) { work() }
    }

    func enqueue(_ job: consuming ExecutorJob) { thread.enqueue(job) }
}

@Suite("Alarm")
struct AlarmTests {
    private let thread: TimelessThread

    init() throws { thread = try TimelessThread() }

    /// Waits for a timer to be set, at most ten seconds.
    private func waitForTimer() async throws {
        for _ in 0..<1000 where thread.timers == 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(thread.timers == 1)
    }

    @Test("a wait ends with the time, and so does a sleep", .timeLimit(.minutes(1)))
    func timeIsOver() async throws {
        let alarm = Alarm(on: thread)
        let waiting = Task { await alarm.wait(milliseconds: 60_000) }
        try await waitForTimer()
        thread.elapse()
        await waiting.value
        #expect(thread.timers == 0)
        let thread = thread
        let sleeping = Task { await thread.sleep(milliseconds: 60_000) }
        try await waitForTimer()
        thread.elapse()
        await sleeping.value
        #expect(thread.timers == 0)
    }

    @Test("a ring ends a wait, also one that begins after it", .timeLimit(.minutes(1)))
    func rings() async throws {
        let alarm = Alarm(on: thread)
        alarm.ring()
        await alarm.wait(milliseconds: 60_000)
        let waiting = Task { await alarm.wait(milliseconds: 60_000) }
        try await waitForTimer()
        alarm.ring()
        await waiting.value
        #expect(thread.timers == 0)
    }

    @Test("cancellation ends a wait and a sleep, and leaves no timer", .timeLimit(.minutes(1)))
    func cancelled() async throws {
        let thread = thread
        for sleeps in [true, false] {
            let alarm = Alarm(on: thread)
            let waiting = Task {
                if sleeps {
                    await thread.sleep(milliseconds: 60_000)
                } else {
                    await alarm.wait(milliseconds: 60_000)
                }
            }
            try await waitForTimer()
            waiting.cancel()
            await waiting.value
            #expect(thread.timers == 0)
        }
    }

    @Test("no time is no wait", .timeLimit(.minutes(1)), arguments: [0, -1, .min] as [Int64])
    func noTime(milliseconds: Int64) async {
        await Alarm(on: thread).wait(milliseconds: milliseconds)
        #expect(thread.timers == 0)
    }
}
