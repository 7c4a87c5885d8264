/// Exponential backoff with full jitter; it is also the circuit breaker.
///
/// A value without clock and chance: times are differences in seconds, random numbers are handed in.
public struct RetryDelay: Hashable, Sendable {
    /// Failures in a row; saturates.
    public private(set) var failures = 0
    /// Upper end of the first delay's range, seconds.
    public let baseSeconds: Double
    /// Upper end of every delay's range, seconds.
    public let capSeconds: Double

    /// `capSeconds` is held to at most 15 minutes, whatever a server asks for.
    public init(baseSeconds: Double = 2, capSeconds: Double = 300) {
        self.baseSeconds = max(baseSeconds, Self.minimumSeconds)
        self.capSeconds = min(max(capSeconds, Self.minimumSeconds), Self.greatestCapSeconds)
    }

    /// With a cap that no server chooses.
    init(longestSeconds: Double) {
        baseSeconds = 2
        capSeconds = longestSeconds
    }

    public static let minimumSeconds = 1.0
    public static let greatestCapSeconds = 900.0
    /// What a server can ask for with `Retry-After`, seconds.
    public static let retryAfterRange = 1.0...3600.0
    /// A `Retry-After` is lengthened by up to this part, so that a fleet does not come back at once.
    public static let retryAfterSpread = 0.1
    private static let greatestExponent = 20

    /// Counts a failure and answers how long to wait, seconds.
    ///
    /// - Parameters:
    ///   - random: uniform in 0 ..< 1.
    ///   - retryAfterSeconds: what the server asked for; the answer is not below it (clamped).
    public mutating func failed(random: Double, retryAfterSeconds: Double? = nil) -> Double {
        let fraction = random.isFinite ? min(max(random, 0), 1) : 1
        let exponent = min(failures, Self.greatestExponent)
        let range = min(capSeconds, baseSeconds * Double(1 << exponent))
        // Saturating: the count is shown, only its first 20 steps are used.
        if failures < Int.max { failures += 1 }
        let delay = max(Self.minimumSeconds, fraction * range)
        guard let retryAfterSeconds, !retryAfterSeconds.isNaN else { return delay }
        let asked = min(
            max(retryAfterSeconds, Self.retryAfterRange.lowerBound),
            Self.retryAfterRange.upperBound)
        return max(delay, asked * (1 + Self.retryAfterSpread * fraction))
    }

    /// A success, or a change that makes the past failures meaningless.
    public mutating func reset() {
        failures = 0
    }
}
