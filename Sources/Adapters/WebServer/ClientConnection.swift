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
                phase: .idle, deadline: Uptime.now + .seconds(limits.requestSeconds),
                started: Uptime.now))
    }

    struct State {
        var phase: Phase
        /// The uptime at which the watchdog ends the connection; nil: while a worker has it.
        var deadline: Duration?
        /// The uptime at which the request began.
        var started: Duration
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
        phase = .receiving
        started = Uptime.now
        let latest = started + .seconds(limits.requestSeconds)
        deadline = min(deadline ?? latest, latest)
        intake = RequestIntake(target: target, limits: limits)
        response = nil
        sent = nil
    }

    /// Moves the deadline by what has arrived, one second for each KiB.
    mutating func received(bytes: Int) {
        deadline? += .seconds(Double(bytes) / 1_024)
    }

    mutating func beginHandling() {
        phase = .handling
        deadline = nil
    }

    mutating func beginAnswer(_ response: Response, limits: ServerLimits) {
        phase = .answering
        sent = (response.status, response.body.count)
        let seconds = limits.answerSeconds + Double(response.body.count) / 1_024
        deadline = Uptime.now + .seconds(seconds)
    }

    /// Moves the deadline by what leaves, one second for each KiB.
    mutating func streamed(bytes: Int) {
        sent?.bytes += bytes
        deadline? += .seconds(Double(bytes) / 1_024)
    }

    /// What the server needs to find something is not the client's time.
    mutating func searched(limits: ServerLimits) {
        let latest = Uptime.now + .seconds(limits.answerSeconds)
        deadline = deadline.map { max($0, latest) }
    }

    mutating func endRequest(limits: ServerLimits) {
        phase = .idle
        intake = nil
        response = nil
        deadline = Uptime.now + .seconds(limits.idleSeconds)
    }

    /// What the access log gets of the request that just ended; nil when there was no request.
    func accessRecord(peer: String, isComplete: Bool) -> AccessRecord? {
        guard let intake else { return nil }
        let head = intake.head ?? Request(method: "-", target: intake.target)
        let duration = (Uptime.now - started).components
        return AccessRecord(
            peer: peer, method: head.method, path: head.path, status: sent?.status,
            requestBytes: intake.receivedBytes, responseBytes: sent?.bytes ?? 0,
            seconds: Double(duration.seconds) + Double(duration.attoseconds) * 1e-18,
            isComplete: isComplete)
    }
}
