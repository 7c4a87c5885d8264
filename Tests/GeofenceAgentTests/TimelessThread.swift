import LinuxSystem
import Synchronization

@testable import GeofenceAgent

/// A service thread whose time stands still.
final class TimelessThread: ServiceThread {
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
