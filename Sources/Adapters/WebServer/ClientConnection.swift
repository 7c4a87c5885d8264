import Synchronization

/// What is known of one connection; shared by the network thread, a worker and the watchdog.
final class ClientConnection: Sendable {
    let descriptor: Int32
    let peer: String
    let state: Mutex<State>

    init(descriptor: Int32, peer: String, limits: ServerLimits) {
        self.descriptor = descriptor
        self.peer = peer
        state = Mutex(
            State(
                phase: .idle, deadline: .now.advanced(by: .seconds(limits.requestSeconds)),
                started: .now))
    }

    struct State {
        var phase: Phase
        /// When the watchdog ends the connection; nil: while a worker has it.
        var deadline: ContinuousClock.Instant?
        var started: ContinuousClock.Instant
        var intake: RequestIntake?
        /// The answer on its way from a worker to the network thread.
        var response: Response?
        var sent: (status: Int, bytes: Int)?
    }

    enum Phase: Hashable {
        /// Between requests.
        case idle
        /// From the request line to the end of the body.
        case receiving
        /// A worker has it.
        case handling
        case answering
    }
}

extension ClientConnection.State {
    mutating func beginRequest(target: String, limits: ServerLimits) {
        let now = ContinuousClock.now
        phase = .receiving
        started = now
        deadline = min(
            deadline ?? .now.advanced(by: .seconds(limits.requestSeconds)),
            now.advanced(by: .seconds(limits.requestSeconds)))
        intake = RequestIntake(target: target, limits: limits)
        response = nil
        sent = nil
    }

    /// Moves the deadline by what has arrived, one second for each KiB.
    mutating func received(bytes: Int) {
        deadline = deadline?.advanced(by: .seconds(Double(bytes) / 1_024))
    }

    mutating func beginHandling() {
        phase = .handling
        deadline = nil
    }

    mutating func beginAnswer(_ response: Response, limits: ServerLimits) {
        phase = .answering
        sent = (response.status, response.body.count)
        let seconds = limits.answerSeconds + Double(response.body.count) / 1_024
        deadline = .now.advanced(by: .seconds(seconds))
    }

    mutating func endRequest(limits: ServerLimits) {
        phase = .idle
        intake = nil
        response = nil
        deadline = .now.advanced(by: .seconds(limits.idleSeconds))
    }

    /// What the access log gets of the request that just ended; nil when there was no request.
    func accessRecord(peer: String, isComplete: Bool) -> AccessRecord? {
        guard let intake else { return nil }
        let head = intake.head ?? Request(method: "-", target: intake.target)
        let duration = started.duration(to: .now).components
        return AccessRecord(
            peer: peer, method: head.method, path: head.path, status: sent?.status,
            requestBytes: intake.receivedBytes, responseBytes: sent?.bytes ?? 0,
            seconds: Double(duration.seconds) + Double(duration.attoseconds) * 1e-18,
            isComplete: isComplete)
    }
}
