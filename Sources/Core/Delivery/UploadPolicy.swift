/// The numbers of uploading; the server's configuration may change the first three.
public struct UploadPolicy: Hashable, Sendable {
    /// Events in one request, 1 ... 500.
    public var maxBatch: Int
    /// Seconds in which one more upload becomes free, once the burst is used up.
    public var intervalSeconds: Double
    /// Upper end of a delay after a failure, seconds.
    public var backoffCapSeconds: Double
    /// Seconds without a word from the server after which a heartbeat goes; nil: none ever.
    public var heartbeatSeconds: Double?

    public init(
        maxBatch: Int = 200, intervalSeconds: Double = 60,
        backoffCapSeconds: Double = UploadPolicy.defaultBackoffCapSeconds,
        heartbeatSeconds: Double? = nil
    ) {
        self.maxBatch = min(max(maxBatch, 1), Self.greatestBatch)
        self.intervalSeconds = intervalSeconds.isFinite ? min(max(intervalSeconds, 0), 3600) : 60
        self.backoffCapSeconds =
            backoffCapSeconds.isFinite
            ? min(
                max(backoffCapSeconds, Self.backoffCapRange.lowerBound),
                Self.backoffCapRange.upperBound)
            : Self.defaultBackoffCapSeconds
        self.heartbeatSeconds = heartbeatSeconds.map { $0.isFinite ? min(max($0, 1), 86_400) : 300 }
    }

    public static let defaultBackoffCapSeconds = 300.0
    /// What a server may set.
    static let backoffCapRange = 60.0...RetryDelay.greatestCapSeconds
    /// By what share of its period a heartbeat may come early.
    static let heartbeatSpread = 0.1
    /// What a server accepts in one request.
    static let greatestBatch = 500
    /// Payload bytes in one request, which leaves room below the server's 1 MiB for the envelope.
    static let greatestBatchBytes = 768 * 1024
    /// Uploads that go at once after a quiet time, so that an arrival is told without delay while
    /// a busy device still settles at one upload per interval.
    static let burst = 4.0
    /// After 401 or 403, seconds.
    static let authenticationProbeSeconds = 900.0
    /// After 404, 405, 410, 415 or 426: nobody expects it to pass, but nobody should have to visit
    /// the vehicle either.
    static let mismatchProbeSeconds = 3600.0
    /// While there is no route, or the clock is too wrong for TLS, seconds.
    static let offlineProbeSeconds = 300.0
    /// How far the first tries of a fleet are spread after a network event, seconds.
    static let networkSpreadSeconds = 10.0
    /// How long a halved batch is remembered, seconds.
    static let smallBatchSeconds = 86_400.0
    /// How long a server that refused clock anchors without events gets none such, and the longest
    /// wait for one that failed at them, seconds.
    static let refusedAnchorsSeconds = 3600.0
    /// Requests for finding the offender of a refused batch, per hour.
    static let bisectionBudget = 200
    static let bisectionWindowSeconds = 3600.0
    /// Events of refused batches that wait for the next hour's requests; beyond, nothing is uploaded.
    static let bisectionKeyLimit = 4096
    /// A bisection singles out the events that were refused alone in it, and is proof against them,
    /// without any accepted after them, when the server accepted so many for each: 10 bad of 100 are
    /// within it, a server that broke down half-way is not.
    static let acceptedForEachSuspect = 9
    /// How long an accepted event shows that the server does not refuse everything, seconds.
    static let proofSeconds = 60.0
    /// After how many further refusals, each after an accepted event, a single event is given up that
    /// no bisection has singled out. An accepted request is worth as many offers, so that as many such
    /// events can come as others.
    static let loneRefusals = 3
    /// The same for one that is too large for the server (413): it has hardly a kilobyte, and
    /// somebody's limit may pass.
    static let tooLargeRefusals = 5
    /// Events that are known as refused on their own.
    public static let suspectLimit = 1000
    /// How long such an event is held before it is offered again, seconds.
    static let suspectSeconds = 3600.0
    /// How long a plan that found no event stands while the number of pending events is the same.
    static let exhaustedSeconds = 60.0
    /// For an event that the server deferred without a time, or did not mention, seconds.
    static let defaultDeferralSeconds = 60.0
    static let deferralRange = 1.0...86_400.0
    /// Runs of deferred events that are remembered; beyond, uploading waits for the first of them.
    static let deferralLimit = 4096
}
