import Synchronization
import Timekeeping

/// Token buckets of those that ask: a key may ask so often, an address may be wrong so often.
///
/// Kept in memory: after a restart all buckets are full.
final class RequestRate: Sendable {
    /// How fast a bucket fills and how much it holds.
    struct Rule: Hashable, Sendable {
        var perSecond: Double
        var burst: Double
    }

    /// Buckets that are kept; when there are more, the full ones go, as they say nothing.
    static let capacity = 10_000

    private let rule: Rule
    private let buckets = Mutex<[String: Bucket]>([:])

    private struct Bucket {
        var tokens: Double
        var filledAt: UTCTime
    }

    init(_ rule: Rule) {
        self.rule = rule
    }

    /// Takes a token; else the seconds until there will be one.
    func take(_ name: String, at now: UTCTime) -> Double? {
        buckets.withLock { buckets in
            var bucket = filled(buckets[name], at: now)
            defer { buckets[name] = bucket }
            if buckets.count >= Self.capacity { forgetFull(&buckets, at: now) }
            guard bucket.tokens >= 1 else { return (1 - bucket.tokens) / rule.perSecond }
            bucket.tokens -= 1
            return nil
        }
    }

    /// How many tokens have been taken and not come back.
    func missing(_ name: String, at now: UTCTime) -> Double {
        buckets.withLock { rule.burst - filled($0[name], at: now).tokens }
    }

    /// Buckets that are kept now.
    var count: Int { buckets.withLock { $0.count } }

    private func filled(_ bucket: Bucket?, at now: UTCTime) -> Bucket {
        guard let bucket else { return Bucket(tokens: rule.burst, filledAt: now) }
        // A clock that was set back fills nothing, and must not empty either.
        let seconds = max(0, now.seconds(since: bucket.filledAt))
        return Bucket(
            tokens: min(rule.burst, bucket.tokens + seconds * rule.perSecond), filledAt: now)
    }

    private func forgetFull(_ buckets: inout [String: Bucket], at now: UTCTime) {
        buckets = buckets.filter { filled($0.value, at: now).tokens < rule.burst }
        // All of them in use: better to start over than to grow.
        if buckets.count >= Self.capacity { buckets.removeAll() }
    }
}

/// How often a server lets itself be asked.
public struct RequestLimits: Hashable, Sendable {
    /// Requests a second of one key, in the long run; a key may be shared by a fleet.
    public var keyRequestsPerSecond = 500.0
    /// Requests of one key at once.
    public var keyBurst = 5_000.0

    /// Seconds that a refusal waits at most, once an address has had many; 0: none waits.
    public var longestRefusalSeconds = 5.0

    public init() {}

    var keyRule: RequestRate.Rule { .init(perSecond: keyRequestsPerSecond, burst: keyBurst) }
    /// Wrong keys and codes of one address: each one is answered later than the one before.
    static let refusals = RequestRate.Rule(perSecond: 0.1, burst: 100)
    /// Refusals that are answered at once: a key that was just revoked.
    static let promptRefusals = 5.0
    static let secondsPerRefusal = 0.25
}
