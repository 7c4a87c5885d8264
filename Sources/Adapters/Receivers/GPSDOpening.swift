import LinuxSystem
import Synchronization
import WireFormat

/// A connection that is being made, on a thread of its own: gps_open blocks until the network gives
/// up, and whoever stops must not wait for that.
final class GPSDOpening: Sendable {
    typealias Outcome = Result<GPSDConnection, GPSDConnection.OpenError>

    private enum State {
        case connecting
        case done(Outcome)
        /// Nobody wants it any more.
        case abandoned
    }

    /// Signalled when there is an outcome.
    let finished: WakeEvent
    private let state = Mutex(State.connecting)

    /// Begins to connect. Throws where the system has no thread left.
    init(_ address: GPSDAddress) throws(SystemError) {
        finished = try WakeEvent()
        _ = try DedicatedThread(name: "gpsd connect") { [self] in connect(address) }
    }

    private func connect(_ address: GPSDAddress) {
        let outcome: Outcome
        do throws(GPSDConnection.OpenError) {
            outcome = .success(try GPSDConnection(address))
        } catch {
            outcome = .failure(error)
        }
        state.withLock { state in
            // A connection that nobody wants is closed when this function ends.
            if case .connecting = state { state = .done(outcome) }
        }
        finished.signal()
    }

    /// Takes the outcome out; nil while there is none.
    func take() -> Outcome? {
        state.withLock { state in
            guard case .done(let outcome) = state else { return nil }
            state = .abandoned
            return outcome
        }
    }

    /// Whatever comes of it is closed at once.
    func abandon() {
        state.withLock { $0 = .abandoned }
    }
}
