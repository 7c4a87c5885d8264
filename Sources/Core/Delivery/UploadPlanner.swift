import Timekeeping

/// Decides when to send which events, and what an answer means for them.
///
/// A value without clock, chance and I/O: the uploader asks `step`, sends, and reports `finished`.
/// Invariants: one request at a time; nothing leaves the queue but by the server's word on that
/// event, or as a single event that the server refuses; time and tries remove nothing.
public struct UploadPlanner: Hashable, Sendable {
    public internal(set) var policy: UploadPolicy
    /// How the server was found last; nil before the first answer.
    public internal(set) var connectivity: ConnectivityState?
    /// The last failure in a sentence; nil after a success.
    public internal(set) var failureReason: String?
    /// Why the server put off events of the last receipt, a code (`quota_exceeded`); nil: it did not.
    public internal(set) var deferralReason: String?
    /// Of how many events the last receipt said nothing.
    var omittedCount = 0
    /// Whether the last request failed on this side of the server, so that a change of the network
    /// may have removed the cause.
    var isFailureLocal = false
    /// When the last receipt came; nil: none since the start.
    public internal(set) var lastSuccess: Uptime?
    var delay: RetryDelay
    /// No request before then; nil: at once.
    var notBefore: Uptime?
    var deferrals = Deferrals()
    var refusedEvents = RefusedEvents()
    var allowance = UploadAllowance()
    var batchLimit = BatchLimit()
    var network = NetworkHint()
    var exhausted: Exhausted?
    var heartbeats: HeartbeatSchedule
    var anchors = AnchorSchedule()
    var pendingCount: Int64 = 0
    /// Whose keys `deferrals` and `refusedEvents` hold; nil: not told yet.
    var epoch: String?
    let batchPrefix: String
    var batchCount = 0

    /// A plan that found no event, and how long that stands.
    struct Exhausted: Hashable, Sendable {
        var pendingCount: Int64
        var until: Uptime
    }

    /// `batchPrefix` makes batch ids unique among the runs of this device; `phase`, 0 ..< 1, says
    /// where in the first period the first heartbeat falls.
    public init(policy: UploadPolicy = UploadPolicy(), batchPrefix: String, phase: Double = 0) {
        self.policy = policy
        heartbeats = HeartbeatSchedule(phase: phase)
        self.batchPrefix = batchPrefix
        delay = RetryDelay(capSeconds: policy.backoffCapSeconds)
    }

    /// Failures since the last success; those at clock anchors alone, since the last receipt.
    public var failures: Int { max(delay.failures, anchors.failures) }

    /// Why events wait, in a sentence: those that the server refused and that are held for another
    /// offer, or else the last failure; nil: neither.
    public var waitingReason: String? {
        let count = refusedEvents.heldCount
        guard count > 0 else { return failureReason }
        let words =
            count == 1
            ? "1 event that the server refused is"
            : "\(count) events that the server refused are"
        return "\(words) kept for another offer" + (failureReason.map { " (\($0))" } ?? "")
    }

    /// Whether uploading and syncing rest because the server does not know this device or this URL;
    /// single events are sent as probes.
    public var isPaused: Bool {
        connectivity == .authenticationFailed || connectivity == .endpointMismatch
    }

    // MARK: What to do

    /// The next action, with `pendingCount` events in the queue; `owesAnchors` tells whether the
    /// server has events that wait for a clock anchor.
    ///
    /// Events go first, and take the anchors along; where none may go, anchors go alone. A heartbeat
    /// goes when nothing was heard of the server for the policy's
    /// time and nothing else may go; backoff and pauses hold it back like any request.
    public mutating func step(
        at now: Uptime, pendingCount: Int64, owesAnchors: Bool = false
    ) -> UploadAction {
        if let notBefore, now < notBefore { return .wait(until: notBefore) }
        var upload = uploadStep(at: now, pendingCount: pendingCount)
        if owesAnchors { upload = anchorStep(at: now, otherwise: upload) }
        guard let due = heartbeats.due(at: now, periodSeconds: policy.heartbeatSeconds) else {
            return upload
        }
        switch upload {
        case .send, .sendAnchors: return upload
        case _ where due <= now:
            network.requestStarted()
            return .heartbeat
        case .wait(let until): return .wait(until: min(until, due))
        case .idle, .heartbeat: return .wait(until: due)
        }
    }

    // MARK: What happened

    /// Takes note of how a request ended. The settlements are to be written before the next step.
    ///
    /// `random` is uniform in 0 ..< 1.
    public mutating func finished(
        _ outcome: SendOutcome, of batch: OutgoingBatch, at now: Uptime, random: Double
    ) -> UploadConclusion {
        defer { network.requestEnded() }
        exhausted = nil
        // The pace is one of uploads; tries that end without an answer have the backoff for theirs,
        // and must not make the first one after an outage wait for its turn.
        if case .receipt = outcome {
        } else if !refusedEvents.isAsked {
            allowance.giveBack()
        }
        switch outcome {
        case .receipt(let receipt) where batch.events.isEmpty:
            return anchorsReceived(receipt, of: batch, at: now, random: random)
        case .receipt(let receipt):
            return received(receipt, for: batch, at: now, random: random)
        case .refused(let refusal):
            return UploadConclusion(
                settlements: refused(refusal, batch, at: now, random: random))
        case .unreachable(let state, let reason):
            refusedEvents.putBack()
            fail(batch, state, reason, at: now, random: random, isAnswer: false)
        case .cancelled:
            refusedEvents.putBack()
        }
        return UploadConclusion()
    }

    private mutating func received(
        _ receipt: Receipt, for batch: OutgoingBatch, at now: Uptime, random: Double
    ) -> UploadConclusion {
        let reading = ReceiptReading(receipt, of: batch)
        deferralReason = reading.deferralReason
        omittedCount = reading.omittedCount
        deferrals.put(
            reading.deferred, settled: reading.settledKeys, in: batch.events, at: now)
        guard !reading.answered.isEmpty else {
            refusedEvents.putBack()
            fail(.serverBusy, "the receipt names none of the events", at: now, random: random)
            return reading.conclusion
        }
        refusedEvents.answered(reading, at: now)
        // A backlog drains at full speed, also where it was the bytes that ended the batch.
        if hasBacklog(behind: batch, at: now) { allowance.giveBack() }
        succeed(at: now)
        heartbeats.heard(at: now, random: random)
        return reading.conclusion
    }

    private mutating func refused(
        _ refusal: Refusal, _ batch: OutgoingBatch, at now: Uptime, random: Double
    ) -> [Settlement] {
        let reason = refusal.explanation
        switch refusal.status {
        case 400 where batch.events.isEmpty, 413 where batch.events.isEmpty,
            422 where batch.events.isEmpty:
            // It may take events all the same.
            anchors.refused(at: now)
            found(.online, reason)
        case 400, 422:
            return bisect(batch, refusal, at: now, random: random)
        case 413 where batch.events.count > 1:
            refusedEvents.tooLarge(batch, at: now)
            batchLimit.halve(batch.events.count, at: now)
            pause(.online, reason, at: now, seconds: RetryDelay.minimumSeconds)
        case 413:
            // One event of a kilobyte: somebody's limit, or an event that grew. Others go on.
            return bisect(batch, refusal, at: now, random: random)
        case 401, 403:
            pause(
                .authenticationFailed, reason, at: now,
                seconds: UploadPolicy.authenticationProbeSeconds)
        case 404, 405, 410, 415, 426:
            pause(.endpointMismatch, reason, at: now, seconds: UploadPolicy.mismatchProbeSeconds)
        case 511:
            fail(.captivePortal, reason, at: now, random: random, isAnswer: false)
        default:
            fail(
                batch, .serverBusy, reason, at: now, random: random,
                retryAfterSeconds: refusal.retryAfterSeconds)
        }
        refusedEvents.putBack()
        return []
    }

    private mutating func bisect(
        _ batch: OutgoingBatch, _ refusal: Refusal, at now: Uptime, random: Double
    ) -> [Settlement] {
        found(.online, refusal.words)
        let finding = refusedEvents.refused(batch, refusal, at: now)
        if finding.isBudgetSpent {
            // Refusing everything is the server's defect, not the events'. What is refused waits;
            // what is new goes on, at the pace of a server that fails.
            connectivity = .serverBusy
            if !finding.wasAsked {
                notBefore = now.advanced(bySeconds: delay.failed(random: random))
            }
        }
        return finding.settlements
    }
}
