import Geofencing
import Timekeeping
import WireFormat

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

    /// Works until its task is cancelled; `deliver` gets every outcome with its question, and what
    /// the fences have to tell, which is read here to spare the control loop.
    func run(
        deliver: @Sendable (FenceFetchOutcome, FenceQuery, NoticeSet?) async -> Void
    ) async {
        let source = source
        for await query in requests {
            liveness.begin(.fenceSync, within: Self.longestFetchSeconds)
            let (outcome, notices) = await worker.run {
                let outcome = source.fetch(query)
                return (outcome, NoticeSet(outcome))
            }
            liveness.rest(.fenceSync)
            await deliver(outcome, query, notices)
        }
    }

    /// The time-out of a question for fences, with room.
    private static let longestFetchSeconds = 30.0
}

extension NoticeSet {
    /// What a fresh answer has to tell; nil: there is no answer, or it cannot be read.
    fileprivate init?(_ outcome: FenceFetchOutcome) {
        guard case .fresh(let answer) = outcome,
            let notices = try? NoticeSet(answer: answer.document)
        else { return nil }
        self = notices
    }
}
