import Delivery
import Simulation

/// A request that is under way, and how it will end if nothing comes between.
struct RunningRequest {
    enum Ending {
        case batch(OutgoingBatch, SendOutcome, words: [String: SimulatedServer.Word])
        case heartbeat(HeartbeatOutcome)
    }

    var endsAt: Int64
    var ending: Ending

    /// The network went, or the machine slept: whatever was on its way is lost.
    mutating func cut(at time: Int64) {
        endsAt = time
        switch ending {
        case .batch(let batch, _, _):
            ending = .batch(
                batch, .unreachable(.connectFailed, reason: "the network went"), words: [:])
        case .heartbeat:
            ending = .heartbeat(.unreachable(.connectFailed, reason: "the network went"))
        }
    }
}
