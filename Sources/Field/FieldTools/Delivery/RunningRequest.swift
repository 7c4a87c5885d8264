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

    /// Ends after as long as `fault` takes to be known; nil: as a good answer takes.
    init(
        _ fault: RequestFault?, _ ending: Ending, startsAt: Int64,
        _ random: inout SeededGenerator
    ) {
        endsAt = startsAt + random.milliseconds(in: fault?.seconds ?? 0.05..<0.6)
        self.ending = ending
    }

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

extension RunningRequest {
    /// For the story of a device: how it will end, and when.
    func words(at now: Int64) -> String {
        let seconds = Double(endsAt - now) / 1000
        switch ending {
        case .heartbeat(let heard): return "\(heard) in \(seconds) s"
        case .batch(_, .receipt, let words):
            let kept = words.values.count { $0 == .kept }
            return "receipt for \(words.count), \(kept) kept, in \(seconds) s"
        case .batch(_, .refused(let refusal), _):
            let after = refusal.retryAfterSeconds.map { ", Retry-After \($0)" } ?? ""
            return "\(refusal.words)\(after) in \(seconds) s"
        case .batch(_, .unreachable(let state, let reason), _):
            return "\(state.rawValue) (\(reason)) in \(seconds) s"
        case .batch(_, .cancelled, _): return "cancelled"
        }
    }
}
