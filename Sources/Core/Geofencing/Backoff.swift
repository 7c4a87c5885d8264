import Timekeeping

/// When the next sync may be tried after failures.
struct Backoff: Hashable, Sendable {
    private var failures = 0
    private var isLocal = false
    private var last: Uptime?
    private var waitSeconds = 0.0
    /// What the server asked for, or what the way to it makes sensible; nothing shortens it.
    private var leastSeconds = 0.0
    /// The server does not know this device, as something else than a sync has found out.
    private var pausedUntil: Uptime?

    /// `hasRoute` is false where there was no route at some time of the sync.
    mutating func fail(
        _ failure: FenceFetchFailure, hasRoute: Bool, at now: Uptime, random: Double,
        _ rules: CoverageRules
    ) {
        let share = random >= 0 && random < 1 ? random : 0.5
        waitSeconds = max(
            rules.leastBackoffSeconds, share * rules.backoffSeconds(failures: failures))
        leastSeconds = 0
        switch failure.kind {
        case .local, .server, .tooLarge: break
        case .authentication, .configuration: leastSeconds = rules.refusedSeconds
        }
        if let asked = failure.retryAfterSeconds, asked.isFinite {
            let range = rules.retryAfterSeconds
            let clamped = min(max(asked, range.lowerBound), range.upperBound)
            leastSeconds = max(leastSeconds, clamped * (1 + share / 10))
        }
        let lacksRoute = failure.isUnanswered && !hasRoute
        if lacksRoute { leastSeconds = max(leastSeconds, rules.offlineSeconds) }
        failures = min(failures + 1, 1_000)
        isLocal = failure.kind == .local || lacksRoute
        last = now
    }

    mutating func networkChanged(at now: Uptime, random: Double, _ rules: CoverageRules) {
        guard failures > 0, isLocal else { return }
        failures = 0
        leastSeconds = 0
        waitSeconds = (random >= 0 && random < 1 ? random : 0.5) * rules.networkSpreadSeconds
        last = now
    }

    /// Nil: the pause is over.
    mutating func pause(until time: Uptime?) { pausedUntil = time }

    func isOver(at now: Uptime, isUrgent: Bool, _ rules: CoverageRules) -> Bool {
        if let pausedUntil, now < pausedUntil { return false }
        guard let last else { return true }
        let wait = isUrgent ? min(waitSeconds, rules.urgentBackoffCapSeconds) : waitSeconds
        return now.seconds(since: last) >= max(wait, leastSeconds)
    }
}
