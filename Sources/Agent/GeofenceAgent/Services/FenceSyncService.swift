import Geofencing
import Timekeeping

/// Asks for the fences near the device whenever the control loop wants to, one request at a time.
actor FenceSyncService {
    private let source: any FenceSource
    private let worker: BlockingWorker
    private let liveness: Liveness
    private let requests: AsyncStream<FenceQuery>
    private let continuation: AsyncStream<FenceQuery>.Continuation

    init(source: any FenceSource, executor: any SerialExecutor, liveness: Liveness) {
        self.source = source
        self.liveness = liveness
        worker = BlockingWorker(executor: executor)
        (requests, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Puts a question; one that still waits is replaced by this newer one.
    nonisolated func ask(_ query: FenceQuery) {
        continuation.yield(query)
    }

    /// Works until its task is cancelled; `deliver` gets every outcome with its question.
    func run(deliver: @Sendable (FenceFetchOutcome, FenceQuery) async -> Void) async {
        let source = source
        for await query in requests {
            liveness.begin(.fenceSync, within: Self.longestFetchSeconds)
            let outcome = await worker.run { source.fetch(query) }
            liveness.rest(.fenceSync)
            await deliver(outcome, query)
        }
    }

    /// The time-out of a question for fences, with room.
    private static let longestFetchSeconds = 30.0
}
