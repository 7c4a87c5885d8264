import Timekeeping

/// A token bucket: a burst goes at once, a steady stream at one upload per interval.
struct UploadAllowance: Hashable, Sendable {
    private var tokens = UploadPolicy.burst
    private var countedAt: Uptime?

    /// Takes one upload; the answer is when there will be one, where there is none now.
    mutating func take(at now: Uptime, intervalSeconds: Double) -> Uptime? {
        guard intervalSeconds > 0 else { return nil }
        let elapsed = max(0, now.seconds(since: countedAt ?? now))
        tokens = min(UploadPolicy.burst, tokens + elapsed / intervalSeconds)
        countedAt = now
        // Half a millisecond of tolerance: a wait for a token must find it.
        guard tokens * intervalSeconds >= intervalSeconds - 0.0005 else {
            return now.advanced(bySeconds: (1 - tokens) * intervalSeconds + 0.001)
        }
        tokens = max(0, tokens - 1)
        return nil
    }

    mutating func giveBack() {
        tokens = min(UploadPolicy.burst, tokens + 1)
    }
}
