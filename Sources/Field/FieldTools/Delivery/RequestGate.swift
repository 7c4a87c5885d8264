import Delivery
import Timekeeping

/// The earliest time of the next request, worked out apart from the planner from the rules of backoff,
/// pauses and network changes, with the same random numbers.
struct RequestGate {
    private var cap: Double
    private var failures = 0
    private var anchorFailures = 0
    /// Milliseconds of uptime; nil: at once.
    private(set) var earliest: Double?
    private var earliestAnchors: Double?
    private var hasRoute = true
    private var isLocalFailure = false
    private var isRunning = false
    /// There was no route at some time of the request.
    private var lackedRoute = false
    private var isSpread = false
    private var spreadMeanwhile: Double?
    /// When whole batches were refused, milliseconds of uptime.
    private var refusals: [Double] = []

    init(capSeconds: Double) {
        cap = capSeconds
    }

    private static let local: Set<ConnectivityState> = [
        .noRoute, .dnsFailed, .connectFailed, .tlsFailed, .clockUnsynchronised, .captivePortal,
    ]
    /// Twice the hourly 200 fall into any hour, and batches that were no part of a bisection.
    private static let refusalsPerHour = 460

    // MARK: A request

    mutating func began(at now: Uptime, isAnchorsOnly: Bool) throws(DeliveryViolation) {
        let time = Double(now.milliseconds)
        if isRunning { throw DeliveryViolation("two requests at once") }
        if let earliest, time < earliest - 1 {
            throw DeliveryViolation(
                "a request \((earliest - time) / 1000) s before its time")
        }
        if isAnchorsOnly, let earliestAnchors, time < earliestAnchors - 1 {
            throw DeliveryViolation(
                "anchors \((earliestAnchors - time) / 1000) s before their time")
        }
        isRunning = true
        lackedRoute = !hasRoute
        isSpread = false
        spreadMeanwhile = nil
    }

    mutating func ended(
        _ outcome: SendOutcome, of batch: OutgoingBatch, at now: Uptime, random: Double
    ) throws(DeliveryViolation) {
        isRunning = false
        switch outcome {
        case .receipt(let receipt):
            let isAnswer =
                batch.events.isEmpty
                ? receipt.namesNoEvent
                : batch.events.contains { receipt.results[$0.clientEventID] != nil }
            if isAnswer { succeeded() } else { failed(.serverBusy, batch, now, random) }
        case .refused(let refusal): try refused(refusal, batch, now, random)
        case .unreachable(let state, _): failed(state, batch, now, random, isAnswer: false)
        case .cancelled: break
        }
    }

    mutating func ended(_ outcome: HeartbeatOutcome, at now: Uptime, random: Double) {
        isRunning = false
        switch outcome {
        case .heard:
            failures = 0
            earliest = nil
            isLocalFailure = false
        case .refused(let refusal):
            switch refusal.status {
            case 401, 403: pause(900, now)
            case 511: failed(.captivePortal, nil, now, random, isAnswer: false)
            case 408, 425, 429, 500...599:
                failed(.serverBusy, nil, now, random, refusal.retryAfterSeconds)
            default: break
            }
        case .unreachable(let state, _): failed(state, nil, now, random, isAnswer: false)
        case .cancelled: break
        }
    }

    private mutating func succeeded() {
        failures = 0
        anchorFailures = 0
        earliest = nil
        isLocalFailure = false
    }

    private mutating func refused(
        _ refusal: Refusal, _ batch: OutgoingBatch, _ now: Uptime, _ random: Double
    ) throws(DeliveryViolation) {
        let time = Double(now.milliseconds)
        switch refusal.status {
        case 400 where batch.events.isEmpty, 413 where batch.events.isEmpty,
            422 where batch.events.isEmpty:
            earliest = nil
            earliestAnchors = time + 3_600_000
            isLocalFailure = false
        case 400, 422:
            earliest = nil
            isLocalFailure = false
            refusals.removeAll { $0 < time - 3_600_000 }
            refusals.append(time)
            guard refusals.count <= Self.refusalsPerHour else {
                throw DeliveryViolation("\(refusals.count) refused batches in an hour")
            }
        case 413 where batch.events.count > 1: pause(1, now)
        case 413:
            earliest = nil
            isLocalFailure = false
        case 401, 403: pause(900, now)
        case 404, 405, 410, 415, 426: pause(3600, now)
        case 511: failed(.captivePortal, batch, now, random, isAnswer: false)
        default: failed(.serverBusy, batch, now, random, refusal.retryAfterSeconds)
        }
    }

    private mutating func pause(_ seconds: Double, _ now: Uptime) {
        earliest = Double(now.milliseconds) + seconds * 1000
        isLocalFailure = false
    }

    private mutating func failed(
        _ state: ConnectivityState, _ batch: OutgoingBatch?, _ now: Uptime, _ random: Double,
        _ retryAfter: Double? = nil, isAnswer: Bool = true
    ) {
        let time = Double(now.milliseconds)
        let isLocal = Self.local.contains(state) || (lackedRoute && !isAnswer)
        if let batch, batch.events.isEmpty, !isLocal {
            let seconds = Self.delay(random, cap: 3600, failures: anchorFailures, retryAfter)
            earliestAnchors = time + seconds * 1000
            anchorFailures += 1
            guard retryAfter != nil else {
                earliest = nil
                isLocalFailure = false
                return
            }
        }
        isLocalFailure = isLocal
        if isLocal, let spread = spreadMeanwhile {
            spreadMeanwhile = nil
            isSpread = true
            failures = 0
            earliest = time + spread * 1000
            return
        }
        var seconds = Self.delay(random, cap: cap, failures: failures, retryAfter)
        failures += 1
        if (!hasRoute && !isAnswer) || state == .clockUnsynchronised { seconds = max(seconds, 300) }
        earliest = time + seconds * 1000
    }

    /// Full jitter under a doubling bound, at least a second and what the server asked for.
    private static func delay(
        _ random: Double, cap: Double, failures: Int, _ retryAfter: Double?
    ) -> Double {
        var bound = 2.0
        for _ in 0..<min(failures, 20) where bound < cap { bound *= 2 }
        let asked = retryAfter.map { min(max($0, 1), 3600) } ?? 0
        return max(1, random * min(cap, bound), asked)
    }

    // MARK: What happens around it

    mutating func networkChanged(hasRoute: Bool, at now: Uptime, random: Double) {
        self.hasRoute = hasRoute
        guard hasRoute else {
            lackedRoute = lackedRoute || isRunning
            return
        }
        let spread = random * 10
        if isRunning {
            spreadMeanwhile = spreadMeanwhile ?? spread
            return
        }
        defer { isSpread = true }
        guard !isSpread, isLocalFailure else { return }
        failures = 0
        let first = Double(now.milliseconds) + spread * 1000
        earliest = min(earliest ?? first, first)
    }

    mutating func configured(capSeconds: Double) {
        guard capSeconds != cap else { return }
        cap = capSeconds
        failures = 0
    }

    /// A person asked: waiting ends.
    mutating func flushed() {
        earliest = nil
        earliestAnchors = nil
        anchorFailures = 0
    }
}
