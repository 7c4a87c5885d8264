import Testing

@testable import GeofenceAgent

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
