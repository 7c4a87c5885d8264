import Dispatch
import Synchronization

/// A fixed number of threads and a bounded line of work before them.
final class WorkerPool: Sendable {
    private let threads: [ServerThread]
    private let line: Line

    init(workers: Int, waiting: Int) {
        let line = Line(capacity: waiting)
        self.line = line
        threads = (0..<max(1, workers)).compactMap { _ in ServerThread { line.work() } }
    }

    /// Whether the job was taken; false: the line is full, or the pool is stopping.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool { line.append(job) }

    /// Finishes everything that was taken, then ends the threads. Blocks.
    func stop() {
        line.close(threads: threads.count)
        for thread in threads { thread.join() }
    }

    private final class Line: Sendable {
        private let capacity: Int
        private let state = Mutex(State())
        /// Counts the jobs in the line, and one for each thread once it is closed.
        private let signal = DispatchSemaphore(value: 0)

        struct State {
            var jobs: [(@Sendable () -> Void)?] = []
            var head = 0
            var isClosed = false

            mutating func next() -> (@Sendable () -> Void)? {
                guard head < jobs.count else { return nil }
                let job = jobs[head]
                // Frees what the job holds now, not when the line is compacted.
                jobs[head] = nil
                head += 1
                if head == jobs.count {
                    jobs.removeAll(keepingCapacity: true)
                    head = 0
                } else if head >= 1_024 {
                    jobs.removeFirst(head)
                    head = 0
                }
                return job
            }
        }

        init(capacity: Int) {
            self.capacity = capacity
        }

        func append(_ job: @escaping @Sendable () -> Void) -> Bool {
            let taken = state.withLock { state in
                guard !state.isClosed, state.jobs.count - state.head < capacity else {
                    return false
                }
                state.jobs.append(job)
                return true
            }
            if taken { signal.signal() }
            return taken
        }

        func close(threads: Int) {
            state.withLock { $0.isClosed = true }
            for _ in 0..<threads { signal.signal() }
        }

        /// Runs jobs until the line is closed and empty.
        func work() {
            while true {
                signal.wait()
                guard let job = state.withLock({ $0.next() }) else { return }
                job()
            }
        }
    }
}
