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

    /// Runs `ring` on the thread once the time is over, as short work that does not block. There is
    /// one alarm: setting it takes the place of what was set before.
    public func setAlarm(afterMilliseconds delay: Int64, _ ring: @escaping @Sendable () -> Void) {
        queue.setAlarm(at: MonotonicClock.milliseconds + max(0, delay), ring)
    }

    /// Runs `work` on the thread soon, in order with the jobs of the actor, as one of them: from it
    /// `assumeIsolated` of the actor may be used. Unlike a task, it wakes no other thread.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        queue.add(.plain(work))
    }

    /// Whether this is the thread, for `assumeIsolated` outside of a task.
    public func checkIsolated() {
        precondition(queue.isOwnThread, "not on the thread of the executor")
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        queue.add(.job(UnownedJob(job)))
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
    enum Work {
        case job(UnownedJob)
        case plain(@Sendable () -> Void)
    }

    private struct State {
        var jobs: [Work] = []
        var alarm: Alarm?
        var isClosed = false
        var thread: pthread_t?
    }

    private struct Alarm {
        /// On CLOCK_MONOTONIC.
        var deadline: Int64
        var ring: @Sendable () -> Void
    }

    let executor = Mutex<UnownedSerialExecutor?>(nil)
    private let state = Mutex(State())
    private let available = Semaphore()

    var isOwnThread: Bool { state.withLock { $0.thread == pthread_self() } }

    func add(_ job: Work) {
        state.withLock { $0.jobs.append(job) }
        available.post()
    }

    /// The thread looks at the alarm before it waits; a job that sets it need not wake it.
    func setAlarm(at deadline: Int64, _ ring: @escaping @Sendable () -> Void) {
        let isOwnThread = state.withLock { state in
            state.alarm = Alarm(deadline: deadline, ring: ring)
            return state.thread == pthread_self()
        }
        if !isOwnThread { available.post() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        available.post()
    }

    func run() {
        state.withLock { $0.thread = pthread_self() }
        while true {
            available.wait(until: state.withLock { $0.alarm?.deadline })
            takeDueAlarm()?()
            let (jobs, isClosed) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isClosed)
            }
            if let executor = executor.withLock({ $0 }) {
                for job in jobs {
                    switch job {
                    case .job(let job): job.runSynchronously(on: executor)
                    case .plain(let work): work()
                    }
                }
            }
            if isClosed { return }
        }
    }

    private func takeDueAlarm() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let alarm = state.alarm, alarm.deadline <= MonotonicClock.milliseconds else {
                return nil
            }
            state.alarm = nil
            return alarm.ring
        }
    }
}
