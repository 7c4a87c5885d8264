/// Does blocking work one piece after the other on the thread of its executor, off Swift's pool.
actor BlockingWorker {
    private nonisolated let executor: any SerialExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(executor: any SerialExecutor) {
        self.executor = executor
    }

    /// The result of the work, which may block.
    func run<Value: Sendable>(_ work: @Sendable () -> Value) -> Value {
        work()
    }
}
