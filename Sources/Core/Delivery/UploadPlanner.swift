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
    /// Whether the last request failed on this side of the server, so that a change of the network
    /// may have removed the cause.
    var isFailureLocal = false
    /// When the last receipt came; nil: none since the start.
    public internal(set) var lastSuccess: Uptime?
    var delay: RetryDelay
    /// No request before then; nil: at once.
    var notBefore: Uptime?
    var deferrals = Deferrals()
    private var suspects = Suspects()
    private var bisection = Bisection()
    var allowance = UploadAllowance()
    private var batchLimit = BatchLimit()
    var network = NetworkHint()
    var exhausted: Exhausted?
    private var heartbeats: HeartbeatSchedule
    var anchors = AnchorSchedule()
    private var pendingCount: Int64 = 0
    private let batchPrefix: String
    private var batchCount = 0

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

    private mutating func uploadStep(at now: Uptime, pendingCount: Int64) -> UploadAction {
        self.pendingCount = pendingCount
        guard pendingCount > 0 else { return .idle }
        deferrals.expire(at: now)
        suspects.putBack()
        suspects.expire(at: now)
        bisection.putBack()
        if !isPaused {
            if let key = suspects.next(at: now) { return send(.keys([key])) }
            if let keys = bisection.next(at: now) { return send(.keys(keys)) }
        }
        if let exhausted, exhausted.pendingCount == pendingCount, now < exhausted.until {
            return .wait(until: exhausted.until)
        }
        if bisection.isFull, let blocked = bisection.blockedUntil(at: now), !isPaused {
            return .wait(until: blocked)
        }
        if deferrals.isFull, let earliest = deferrals.earliest { return .wait(until: earliest) }
        if let next = allowance.take(at: now, intervalSeconds: policy.intervalSeconds) {
            return .wait(until: next)
        }
        // A probe may be any event: those that wait to be asked about are as good, and may be all.
        return send(
            .oldest(
                limit: isPaused ? 1 : batchLimit.current(at: now, policy: policy),
                maxBytes: UploadPolicy.greatestBatchBytes,
                excluding: isPaused
                    ? deferrals.keys
                    : deferrals.keys.union(suspects.keys).union(bisection.keys)))
    }

    private mutating func send(_ selection: BatchSelection) -> UploadAction {
        .send(BatchPlan(batchID: startBatch(), selection: selection))
    }

    private mutating func startBatch() -> String {
        batchCount += 1
        network.requestStarted()
        return "\(batchPrefix)-\(batchCount)"
    }

    private mutating func anchorStep(
        at now: Uptime, otherwise upload: UploadAction
    ) -> UploadAction {
        if case .send = upload { return upload }
        let next =
            anchors.blockedUntil(at: now)
            ?? allowance.take(at: now, intervalSeconds: policy.intervalSeconds)
        guard let next else { return .sendAnchors(batchID: startBatch()) }
        guard case .wait(let until) = upload else { return .wait(until: next) }
        return .wait(until: min(until, next))
    }

    /// The plan found no event: all wait for something, or they were evicted.
    public mutating func foundNothing(at now: Uptime) {
        network.requestEnded()
        guard suspects.offered == nil else { return suspects.dropOffered() }
        guard !bisection.isRunning else {
            bisection.taken()
            return noteProof(at: now)
        }
        allowance.giveBack()
        let wakes = [
            deferrals.earliest, suspects.earliest, bisection.blockedUntil(at: now),
            now.advanced(bySeconds: UploadPolicy.exhaustedSeconds),
        ]
        exhausted = wakes.compactMap { $0 }.min()
            .map { Exhausted(pendingCount: pendingCount, until: $0) }
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
        } else if !bisection.isRunning, suspects.offered == nil {
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
            putBack()
            fail(batch, state, reason, at: now, random: random, isAnswer: false)
        case .cancelled:
            putBack()
        }
        return UploadConclusion()
    }

    /// Takes note of how a heartbeat ended. `random` is uniform in 0 ..< 1.
    public mutating func finished(
        heartbeat outcome: HeartbeatOutcome, at now: Uptime, random: Double
    ) -> UploadConclusion {
        defer { network.requestEnded() }
        switch outcome {
        case .heard(let revision):
            heartbeats.heard(at: now, random: random)
            delay.reset()
            found(.online)
            return UploadConclusion(configRevision: revision)
        case .refused(let refusal):
            refused(heartbeat: refusal, at: now, random: random)
        case .unreachable(let state, let reason):
            fail(state, reason, at: now, random: random, isAnswer: false)
        case .cancelled: break
        }
        return UploadConclusion()
    }

    /// What is wrong with a heartbeat must not hold back events: a server without this route, or
    /// of another opinion on its body, may well take them.
    private mutating func refused(heartbeat refusal: Refusal, at now: Uptime, random: Double) {
        switch refusal.status {
        case 401, 403:
            pause(
                .authenticationFailed, refusal.explanation, at: now,
                seconds: UploadPolicy.authenticationProbeSeconds)
        case 408, 425, 429, 500...599:
            let isPortal = refusal.status == 511
            fail(
                isPortal ? .captivePortal : .serverBusy, refusal.explanation, at: now,
                random: random, retryAfterSeconds: refusal.retryAfterSeconds,
                isAnswer: !isPortal)
        default: heartbeats.refused(at: now, seconds: UploadPolicy.mismatchProbeSeconds)
        }
    }

    private mutating func received(
        _ receipt: Receipt, for batch: OutgoingBatch, at now: Uptime, random: Double
    ) -> UploadConclusion {
        var conclusion = UploadConclusion(configRevision: receipt.configRevision)
        var answered: [Int64] = []
        var acceptedCount = 0
        var deferred: [(key: Int64, seconds: Double?)] = []
        deferralReason = nil
        for event in batch.events {
            guard let result = receipt.results[event.clientEventID] else {
                deferred.append((event.key, nil))
                continue
            }
            answered.append(event.key)
            switch result.status {
            case .accepted, .duplicate:
                if result.status == .accepted { acceptedCount += 1 }
                conclusion.settlements.append(Settlement(event, .acknowledged))
                conclusion.verdicts[event.key] = result.verdict
            case .rejected(let code):
                conclusion.settlements.append(Settlement(event, .dead(code: code)))
            case .deferred(let seconds, let code):
                deferred.append((event.key, seconds))
                deferralReason = deferralReason ?? code
            }
        }
        deferrals.put(
            deferred, settled: Set(conclusion.settlements.map(\.key)), in: batch.events, at: now)
        guard !answered.isEmpty else {
            putBack()
            fail(.serverBusy, "the receipt names none of the events", at: now, random: random)
            return conclusion
        }
        conclusion.hasAnchors = true
        suspects.answered(
            answered, isTaken: conclusion.settlements.contains { $0.fate == .acknowledged })
        if acceptedCount > 0 {
            // A duplicate is none: a server may know an old event and be unable to take any.
            suspects.proved(at: now)
            bisection.accepted(acceptedCount)
        }
        if bisection.isRunning { bisection.taken() } else { bisection.forget(answered) }
        noteProof(at: now)
        // A backlog drains at full speed, also where it was the bytes that ended the batch.
        if hasBacklog(behind: batch, at: now) { allowance.giveBack() }
        succeed(at: now)
        heartbeats.heard(at: now, random: random)
        return conclusion
    }

    /// Whether a batch was a full one, or leaves enough for another that is.
    private func hasBacklog(behind batch: OutgoingBatch, at now: Uptime) -> Bool {
        let limit = batchLimit.current(at: now, policy: policy)
        guard batch.events.count < limit else { return true }
        let held = deferrals.keys.union(suspects.keys).union(bisection.keys)
        let sent = batch.events.filter { !held.contains($0.key) }.count
        return pendingCount - Int64(sent + limit) >= held.countAtMost
    }

    /// The one receipt that may name no event is that of a batch without events, and one that
    /// names any is not the answer to it.
    private mutating func anchorsReceived(
        _ receipt: Receipt, of batch: OutgoingBatch, at now: Uptime, random: Double
    ) -> UploadConclusion {
        guard receipt.namesNoEvent else {
            fail(
                batch, .serverBusy, "the receipt names events that were not sent", at: now,
                random: random)
            return UploadConclusion()
        }
        succeed(at: now)
        heartbeats.heard(at: now, random: random)
        return UploadConclusion(configRevision: receipt.configRevision, hasAnchors: true)
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
            if bisection.isRunning { _ = bisection.refused(batch.events.map(\.key), at: now) }
            batchLimit.halve(batch.events.count, at: now)
            notBefore = now.advanced(bySeconds: RetryDelay.minimumSeconds)
            failureReason = reason
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
        putBack()
        return []
    }

    private mutating func putBack() {
        suspects.putBack()
        bisection.putBack()
    }

    private mutating func bisect(
        _ batch: OutgoingBatch, _ refusal: Refusal, at now: Uptime, random: Double
    ) -> [Settlement] {
        let reason = refusal.words
        let offers = refusal.status == 413 ? UploadPolicy.tooLargeOffers : 1
        found(.online, reason)
        if suspects.offered != nil, let event = batch.events.first {
            if let settlements = suspects.refused(event, offers: offers) { return settlements }
        }
        let isOrdinary = !bisection.isRunning
        if isOrdinary { bisection.forget(batch.events.map(\.key)) }
        let offender = bisection.refused(batch.events.map(\.key), at: now)
        defer { noteProof(at: now) }
        if bisection.blockedUntil(at: now) != nil {
            // Refusing everything is the server's defect, not the events'. What is refused waits;
            // what is new goes on, at the pace of a server that fails.
            connectivity = .serverBusy
            if isOrdinary { notBefore = now.advanced(bySeconds: delay.failed(random: random)) }
        }
        guard let offender = batch.events.first(where: { $0.key == offender }) else { return [] }
        if refusal.blamesEvents, refusal.status != 413 {
            return [Settlement(offender, .dead(code: reason))]
        }
        suspects.hold(offender, code: reason, offers: offers, at: now)
        return []
    }

    private mutating func noteProof(at now: Uptime) {
        if let count = bisection.takeProof() {
            suspects.proved(byBisectionAccepting: count, at: now)
        }
    }
}
