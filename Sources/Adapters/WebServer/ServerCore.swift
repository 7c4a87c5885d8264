import Synchronization

/// What network threads and workers share.
final class ServerCore: Sendable {
    let limits: ServerLimits
    let handler: HTTPServer.Handler
    let refusal: HTTPServer.RefusalHandler
    let accessLog: @Sendable (AccessRecord) -> Void
    let connections = ConnectionTable()
    let pool: WorkerPool
    let delayed = DelayedAnswers()
    private let draining = Atomic(false)

    init(
        limits: ServerLimits, handler: @escaping HTTPServer.Handler,
        refusal: @escaping HTTPServer.RefusalHandler,
        accessLog: @escaping @Sendable (AccessRecord) -> Void
    ) {
        self.limits = limits
        self.handler = handler
        self.refusal = refusal
        self.accessLog = accessLog
        pool = WorkerPool(workers: limits.workers, waiting: limits.waitingRequests)
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
