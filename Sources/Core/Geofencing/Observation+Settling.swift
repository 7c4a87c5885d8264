/// The rows of `unknown`, which also judge a changed geometry.
extension Observation {
    func settle(_ raw: Reading, _ tracked: inout TrackedFence, into found: inout [Finding]) {
        guard fix.seedsState else { return }
        let reading = steadyReading(of: tracked.prepared.shape, raw)
        tracked.state.seedRun =
            reading.isInside ? max(tracked.state.seedRun, 0) + 1 : min(tracked.state.seedRun, 0) - 1
        let run = abs(tracked.state.seedRun)
        guard reading.isDecisive || run >= rules.seedCount else { return }
        let proof = evidence(
            reading.isDecisive ? "seed_decisive" : "seed_repeated", reading, confirmations: run)
        let wasChanged = tracked.state.awaitsJudgement
        tracked.state.awaitsJudgement = false
        tracked.state.seedRun = 0
        switch (tracked.state.presence, reading.isInside) {
        case (.inside, true):
            tracked.state.visit?.lastEvidence = moment
        case (.inside, false):
            depart(
                &tracked, occurrence(nil), proof, reason: .fenceChanged, into: &found)
        case (_, true):
            begin(&tracked, proof, reason: wasChanged ? .fenceChanged : nil, into: &found)
        case (_, false):
            if tracked.state.presence == .unknown { tracked.state.since = moment }
            tracked.state.presence = .outside
        }
    }

    /// Monitoring begins inside, as the fence's policy has it.
    func begin(
        _ tracked: inout TrackedFence, _ proof: Evidence, reason: Transition.Reason?,
        into found: inout [Finding]
    ) {
        let policy = tracked.fence.initialEnter ?? rules.initialEnter
        var enter = transition(.enter, of: tracked, occurrence(nil), proof)
        enter.isInitial = true
        enter.reason = reason
        enter.mayNotify = policy == .notify
        if policy == .silent { enter.isReported = false }
        arrive(&tracked, enter, into: &found)
    }
}
