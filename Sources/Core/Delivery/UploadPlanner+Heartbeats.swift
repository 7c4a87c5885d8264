import Timekeeping

/// What a heartbeat tells of the server.
extension UploadPlanner {
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
}
