import Synchronization

/// Answers that wait before they leave, without a thread for each.
final class DelayedAnswers: Sendable {
    /// Answers that may wait; one more leaves at once.
    static let capacity = 512

    private let state = Mutex(State())

    private struct State {
        var waiting: [(due: Duration, send: @Sendable () -> Void)] = []
        var isClosed = false
    }

    /// Calls `send` after so many seconds, from the watchdog's thread, or at once.
    func hold(for seconds: Double, _ send: @escaping @Sendable () -> Void) {
        let isHeld = state.withLock { state in
            guard !state.isClosed, seconds > 0, state.waiting.count < Self.capacity else {
                return false
            }
            state.waiting.append((Uptime.now + .seconds(seconds), send))
            return true
        }
        if !isHeld { send() }
    }

    /// Sends what is due.
    func release() {
        let now = Uptime.now
        let due = state.withLock { state in
            let due = state.waiting.filter { $0.due <= now }
            state.waiting.removeAll { $0.due <= now }
            return due
        }
        for answer in due { answer.send() }
    }

    /// Sends everything, and from now on at once.
    func close() {
        let all = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for answer in all { answer.send() }
    }
}
