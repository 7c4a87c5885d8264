/// The numbers of the coverage guarantee.
public struct CoverageRules: Hashable, Sendable {
    /// Fences asked for, at least and at most.
    public static let pools = 100...500
    /// No distance sync nearer to the last anchor, metres.
    public static let leastMeters = 50.0

    /// Distance and time until the next sync where the server says nothing.
    public var refreshAfterMeters = 1000.0
    public var refreshAfterSeconds = 21_600.0
    /// The error of a position is taken to be below this and below `errorFactor` x its 68 % radius.
    public var leastErrorMeters = 25.0
    public var errorFactor = 2.5
    /// Metres per second; the device may always get this fast.
    public var leastSpeed = 10.0
    /// The total time-out of one sync.
    public var syncSeconds = 10.0
    /// Share of the coverage radius given up for errors of measuring.
    public var radiusMargin = 0.001
    /// The same beyond the distance up to which measuring is precise.
    public var farRadiusMargin = 0.006
    public var farMeters = 1_000_000.0
    /// Backoff after a failure: uniform between 0 and base x 2^n, at least `leastBackoff`.
    public var backoffBaseSeconds = 2.0
    public var backoffCapSeconds = 300.0
    public var leastBackoffSeconds = 1.0
    /// The cap while the device is farther from the anchor than it should be.
    public var urgentBackoffCapSeconds = 30.0
    /// The wait after the server refused the key, or the address is wrong.
    public var refusedSeconds = 900.0
    /// The wait after nobody answered while there is no route, however far the device has gone.
    public var offlineSeconds = 300.0
    /// `Retry-After` is believed within this range.
    public var retryAfterSeconds = 1.0...3600.0
    /// The first try after the network came back is spread over this time.
    public var networkSpreadSeconds = 10.0
    /// An answer that was too large: the next one may hold this share of its fences ...
    public var tooLargeDivisor = 4
    /// ... and for this long no more is asked for than what was taken.
    public var fewerSeconds = 3600.0
    /// How long a start waits for a fix before it asks around the stored anchor.
    public var startSeconds = 60.0

    public init() {}

    /// Bound of a position's error, metres; `accuracyMeters` is its 68 % radius.
    public func errorMeters(accuracyMeters: Double) -> Double {
        max(leastErrorMeters, errorFactor * accuracyMeters)
    }

    /// The displacement below which no unknown fence can hold the device, metres.
    func safeRadius(_ coverageRadius: Double?) -> Double {
        guard let coverageRadius else { return .infinity }
        let margin = coverageRadius > farMeters ? radiusMargin + farRadiusMargin : radiusMargin
        return max(0, coverageRadius) * (1 - margin)
    }

    /// The upper bound of the wait after `failures` of them in a row.
    func backoffSeconds(failures: Int) -> Double {
        let exponent = min(max(failures, 0), 20)
        return min(backoffCapSeconds, backoffBaseSeconds * Double(1 << exponent))
    }
}
