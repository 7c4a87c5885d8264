import Synchronization

/// What network threads and workers share.
final class ServerCore: Sendable {
    let limits: ServerLimits
    let handler: HTTPServer.Handler
    let refusal: HTTPServer.RefusalHandler
    let accessLog: @Sendable (AccessRecord) -> Void
    let connections = ConnectionTable()
    private let lane: HTTPServer.LaneChoice
    private let readers: WorkerPool
    private let writers: WorkerPool
    let delayed = DelayedAnswers()
    private let draining = Atomic(false)

    init(
        limits: ServerLimits, lane: @escaping HTTPServer.LaneChoice,
        handler: @escaping HTTPServer.Handler,
        refusal: @escaping HTTPServer.RefusalHandler,
        accessLog: @escaping @Sendable (AccessRecord) -> Void
    ) {
        self.limits = limits
        self.handler = handler
        self.refusal = refusal
        self.accessLog = accessLog
        self.lane = lane
        readers = WorkerPool(workers: limits.workers, waiting: limits.waitingRequests)
        writers = WorkerPool(workers: limits.workers, waiting: limits.waitingRequests)
    }

    /// Whether the job will run in the lane of its request; false: that line is full.
    func submit(_ request: Request, _ job: @escaping @Sendable () -> Void) -> Bool {
        switch lane(request) {
        case .reads: readers.submit(job)
        case .writes: writers.submit(job)
        }
    }

    /// Finishes everything that was taken. Blocks.
    func stopWorkers() {
        readers.stop()
        writers.stop()
    }

    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// False when it already was.
    func beginDraining() -> Bool { !draining.exchange(true, ordering: .relaxed) }

    /// The header of an answer on a server that is about to go tells the client so.
    func finished(_ response: Response) -> Response {
        guard isDraining else { return response }
        var response = response
        response.headers["Connection"] = "close"
        return response
    }
}
