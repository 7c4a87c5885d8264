import Timekeeping

/// When clock anchors go in a batch without events.
struct AnchorSchedule: Hashable, Sendable {
    /// The server gets no batch without events until then; nil: it takes them.
    private var heldUntil: Uptime?
    private var delay = RetryDelay(longestSeconds: UploadPolicy.refusedAnchorsSeconds)

    /// How often the server failed at them alone since its last receipt.
    var failures: Int { delay.failures }

    /// When the next one may go; nil: now.
    func blockedUntil(at now: Uptime) -> Uptime? {
        heldUntil.flatMap { $0 > now ? $0 : nil }
    }

    /// The server does not want them alone. They go with the next event, too.
    mutating func refused(at now: Uptime) {
        heldUntil = now.advanced(bySeconds: UploadPolicy.refusedAnchorsSeconds)
    }

    /// The server failed at them alone. `random` is uniform in 0 ..< 1.
    mutating func failed(at now: Uptime, random: Double, retryAfterSeconds: Double?) {
        heldUntil = now.advanced(
            bySeconds: delay.failed(random: random, retryAfterSeconds: retryAfterSeconds))
    }

    /// A receipt came, and every batch takes the anchors along.
    mutating func received() {
        delay.reset()
    }
}
