import Timekeeping

/// How many events go into a request, after what 413 has taught.
struct BatchLimit: Hashable, Sendable {
    private var learned: Int?
    private var forgetAt = Uptime(milliseconds: 0)

    func current(at now: Uptime, policy: UploadPolicy) -> Int {
        guard let learned, now < forgetAt else { return policy.maxBatch }
        return min(learned, policy.maxBatch)
    }

    /// A batch of `count` events was too large.
    mutating func halve(_ count: Int, at now: Uptime) {
        learned = max(1, count / 2)
        forgetAt = now.advanced(bySeconds: UploadPolicy.smallBatchSeconds)
    }
}
