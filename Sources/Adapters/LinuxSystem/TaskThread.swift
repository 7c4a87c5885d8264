import Synchronization

/// A thread of its own on which tasks take turns, instead of Swift's shared pool; they must not block.
///
/// The shared pool is libdispatch's, and from its first worker on libdispatch looks at the pool once
/// a second for as long as the process lives. A program that has to sleep runs no task there: it
/// gives this executor to its root (`withTaskExecutorPreference`) and to each unstructured task, and
/// uses the delays of this thread, since those of `Task.sleep` are libdispatch's too.
public final class TaskThread: TaskExecutor {
    /// Waits for descriptors on the same thread: those whose handlers are as short as its tasks.
    public let loop: PollLoop

    private init() throws(SystemError) {
        loop = try PollLoop(name: "tasks")
    }

    /// The one of this process, started when it is first asked for. It lives as long as the process:
    /// tasks hold their executor unowned. Throws where the system has no thread left.
    public static func shared() throws(SystemError) -> TaskThread {
        try instance.withLock { instance throws(SystemError) in
            if let instance { return instance }
            let made = try TaskThread()
            instance = made
            return made
        }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs `work` on the thread once, after a time, as short work that does not block; returns what
    /// `cancel` needs.
    public func perform(
        afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void
    ) -> UInt64 {
        loop.perform(afterMilliseconds: delay, work)
    }

    /// Forgets delayed work that has not begun.
    public func cancel(_ timer: UInt64) {
        loop.cancelTimer(timer)
    }

    private static let instance = Mutex<TaskThread?>(nil)
}
