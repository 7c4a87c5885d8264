import Timekeeping

/// What a request told of the server and of the way to it, and when the next one may go.
extension UploadPlanner {
    /// The server was reached: nothing holds the next request back.
    mutating func found(_ state: ConnectivityState, _ reason: String? = nil) {
        connectivity = state
        failureReason = reason
        isFailureLocal = false
        notBefore = nil
    }

    mutating func succeed(at now: Uptime) {
        delay.reset()
        found(.online)
        lastSuccess = now
        anchors.received()
    }

    /// What is wrong with anchors alone must not hold back events: a server may well take them. It
    /// does where the fault lies on this side, or the server asks for a pause.
    mutating func fail(
        _ batch: OutgoingBatch, _ state: ConnectivityState, _ reason: String, at now: Uptime,
        random: Double, retryAfterSeconds: Double? = nil, isAnswer: Bool = true
    ) {
        if batch.events.isEmpty, !isLocal(state, isAnswer: isAnswer) {
            anchors.failed(at: now, random: random, retryAfterSeconds: retryAfterSeconds)
            guard retryAfterSeconds != nil else { return found(state, reason) }
        }
        fail(
            state, reason, at: now, random: random, retryAfterSeconds: retryAfterSeconds,
            isAnswer: isAnswer)
    }

    /// A request that nobody answered while there was no route failed for want of it, also where it
    /// looks like a server that does not answer.
    func isLocal(_ state: ConnectivityState, isAnswer: Bool) -> Bool {
        state.isLocal || (!isAnswer && network.lackedRoute)
    }

    mutating func fail(
        _ state: ConnectivityState, _ reason: String, at now: Uptime, random: Double,
        retryAfterSeconds: Double? = nil, isAnswer: Bool = true
    ) {
        connectivity = state
        failureReason = reason
        isFailureLocal = isLocal(state, isAnswer: isAnswer)
        if isFailureLocal, let spread = network.takeChangeDuringRequest() {
            // The request died with the old network: the new one has not been tried yet.
            delay.reset()
            notBefore = now.advanced(bySeconds: spread)
            return
        }
        var seconds = delay.failed(random: random, retryAfterSeconds: retryAfterSeconds)
        if (!network.hasRoute && !isAnswer) || state == .clockUnsynchronised {
            seconds = max(seconds, UploadPolicy.offlineProbeSeconds)
        }
        notBefore = now.advanced(bySeconds: seconds)
    }

    mutating func pause(
        _ state: ConnectivityState, _ reason: String, at now: Uptime, seconds: Double
    ) {
        found(state, reason)
        notBefore = now.advanced(bySeconds: seconds)
    }
}
