import WireFormat

/// What a recording says was decided, against what its replay decides, in order.
public struct DecisionComparison: Sendable {
    /// The first place where the two differ.
    public struct Difference: Hashable, Sendable {
        /// Counted from 1 over the whole replay.
        public var number: Int
        /// Nil: the replay decided something that is not in the recording.
        public var recorded: WireDecision?
        /// Nil: the recording holds a decision that the replay did not come to.
        public var replayed: WireDecision?
    }

    /// Decisions that were the same.
    public private(set) var agreed = 0
    /// Nil: none was found.
    public private(set) var difference: Difference?
    /// Decisions of a last input, whose own were cut off with the end of the recording.
    public private(set) var cutOff = 0
    private var recorded: [WireDecision] = []
    private var replayed: [WireDecision] = []
    /// Of `replayed`, those of the last input.
    private var latest = 0
    private var hasRecorded = false
    private var isGivenUp = false

    /// A record and what it led to.
    mutating func note(_ step: Replay.Step, input isInput: Bool) {
        guard !isGivenUp, difference == nil else { return }
        if isInput { latest = 0 }
        replayed += step.transitions.map(WireDecision.init)
        latest += step.transitions.count
        if let decision = step.recorded {
            recorded.append(decision)
            hasRecorded = true
        }
        let count = min(recorded.count, replayed.count)
        for index in 0..<count where recorded[index] != replayed[index] {
            agreed += index
            difference = Difference(
                number: agreed + 1, recorded: recorded[index], replayed: replayed[index])
            return
        }
        agreed += count
        recorded.removeFirst(count)
        replayed.removeFirst(count)
    }

    /// The recording of a run ends here. Decisions of its last input may be missing: the process
    /// was killed between the two.
    mutating func endRun() {
        defer {
            recorded.removeAll()
            replayed.removeAll()
            (latest, hasRecorded, isGivenUp, isWhole) = (0, false, false, false)
        }
        guard !isGivenUp, difference == nil, hasRecorded || isWhole else { return }
        if let missing = recorded.first {
            difference = Difference(number: agreed + 1, recorded: missing, replayed: nil)
        } else if replayed.count > latest, let extra = replayed.first {
            difference = Difference(number: agreed + 1, recorded: nil, replayed: extra)
        } else {
            cutOff += replayed.count
        }
    }

    /// Whether the recording of this run has all its decisions, as an agent's has: then even one
    /// without any is compared.
    var isWhole = false

    /// From here on the inputs are not all there, or not the same: nothing is compared in this run.
    mutating func giveUp() {
        isGivenUp = true
        recorded.removeAll()
        replayed.removeAll()
    }
}
