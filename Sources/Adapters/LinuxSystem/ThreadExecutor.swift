import Glibc
import Synchronization

/// Runs the jobs of an actor one after the other on a thread of its own, so that the actor may block.
///
/// `nonisolated var unownedExecutor` of the actor returns `asUnownedSerialExecutor()`; the actor
/// keeps the executor alive. The thread ends when the executor goes away.
public final class ThreadExecutor: SerialExecutor {
    private let queue: JobQueue

    /// Throws where the system has no thread left.
    public init(name: String) throws(SystemError) {
        let queue = JobQueue()
        self.queue = queue
        // The thread holds the queue, not the executor: else the executor would never go away.
        _ = try DedicatedThread(name: name) { queue.run() }
        queue.executor.withLock { $0 = asUnownedSerialExecutor() }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        queue.add(UnownedJob(job))
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    deinit {
        queue.close()
    }
}

/// Jobs that wait for the thread, in order.
private final class JobQueue: Sendable {
    private struct State {
        var jobs: [UnownedJob] = []
        var isClosed = false
    }

    let executor = Mutex<UnownedSerialExecutor?>(nil)
    private let state = Mutex(State())
    private let available = Semaphore()

    func add(_ job: UnownedJob) {
        state.withLock { $0.jobs.append(job) }
        available.post()
    }

    func close() {
        state.withLock { $0.isClosed = true }
        available.post()
    }

    func run() {
        while true {
            available.wait()
            let (jobs, isClosed) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isClosed)
            }
            if let executor = executor.withLock({ $0 }) {
                for job in jobs { job.runSynchronously(on: executor) }
            }
            if isClosed { return }
        }
    }
}
