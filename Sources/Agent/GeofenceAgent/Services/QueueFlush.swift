import Delivery
import Timekeeping

/// Has the running uploader send everything that may go now, and waits for the end of it.
struct QueueFlush {
    let tracking: TrackingService
    let upload: UploadService
    let thread: any ServiceThread
    let time: any Timekeeper

    /// How often it looks how far the uploader is.
    private static let lookMilliseconds: Int64 = 100

    /// Returns when nothing is left, nothing goes any more, the time is over, or `isWanted` is false.
    func run(seconds: Double, isWanted: @Sendable () -> Bool) async -> FlushReport {
        let start = await tracking.queueCounts
        let requests = await upload.status.requestCount
        let deadline = time.uptime.milliseconds + Int64(max(0, min(seconds, 3600)) * 1000)
        await upload.flush()
        var end = FlushReport.End.timeout
        while isWanted() {
            let (counts, status) = (await tracking.queueCounts, await upload.status)
            let hasTried = status.requestCount > requests
            if counts.pending == 0 {
                end = .empty
                break
            }
            if status.waitsUntil != nil {
                end = hasTried && status.connectivity != .online ? .failed : .deferred
                break
            }
            guard time.uptime.milliseconds < deadline else { break }
            await thread.sleep(milliseconds: Self.lookMilliseconds)
        }
        let (counts, status) = (await tracking.queueCounts, await upload.status)
        return FlushReport(
            agent: .running, end: end, acknowledged: counts.acknowledged - start.acknowledged,
            dead: counts.dead - start.dead, pending: counts.pending,
            server: status.requestCount > requests
                ? status.connectivity?.rawValue ?? "unknown" : "unknown",
            reason: end == .empty ? nil : status.waitingReason)
    }
}

extension TrackingService {
    /// How full the queue is.
    var queueCounts: QueueCounts { queue.counts }
}
