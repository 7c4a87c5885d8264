import Dispatch
import Synchronization

/// Looks over the connections several times a second on a thread of its own.
final class Watchdog: Sendable {
    static let intervalMilliseconds = 100

    private let connections: ConnectionTable
    private let delayed: DelayedAnswers
    private let wake = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    private struct State {
        var isStopping = false
        var closesIdle = false
        var thread: ServerThread?
    }

    init(_ connections: ConnectionTable, _ delayed: DelayedAnswers) {
        self.connections = connections
        self.delayed = delayed
        let thread = ServerThread { [self] in watch() }
        state.withLock { $0.thread = thread }
    }

    /// From now on a connection ends as soon as no request is on it.
    func closeIdleConnections() {
        state.withLock { $0.closesIdle = true }
        wake.signal()
    }

    /// Ends the thread. Blocks.
    func stop() {
        let thread = state.withLock { state in
            state.isStopping = true
            defer { state.thread = nil }
            return state.thread
        }
        wake.signal()
        thread?.join()
    }

    private func watch() {
        while true {
            let (isStopping, closesIdle) = state.withLock { ($0.isStopping, $0.closesIdle) }
            if isStopping { return }
            delayed.release()
            connections.sweep(closingIdle: closesIdle)
            let interval = closesIdle ? 10 : Self.intervalMilliseconds
            _ = wake.wait(timeout: .now() + .milliseconds(interval))
        }
    }
}
