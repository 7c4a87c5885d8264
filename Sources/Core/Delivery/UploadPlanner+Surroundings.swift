import Timekeeping

/// What changed around the uploads.
extension UploadPlanner {
    /// The network changed. It is a hint that wakes, never a gate.
    ///
    /// After a local failure the backoff starts anew, and the first try comes within ten seconds,
    /// spread so that a fleet does not come back in the same second. After a failure of the server
    /// nothing changes. `random` is uniform in 0 ..< 1.
    public mutating func networkChanged(hasRoute: Bool, at now: Uptime, random: Double) {
        let spread = min(max(random, 0), 1) * UploadPolicy.networkSpreadSeconds
        guard network.changed(hasRoute: hasRoute, spreadSeconds: spread),
            let connectivity, connectivity.isLocal
        else { return }
        delay.reset()
        let first = now.advanced(bySeconds: spread)
        notBefore = notBefore.map { min($0, first) } ?? first
    }

    /// A person asks for an upload now: waiting ends, whatever the reason.
    public mutating func flush() {
        notBefore = nil
        exhausted = nil
        deferrals = Deferrals()
        allowance = UploadAllowance()
        anchors = AnchorSchedule()
    }

    /// New numbers from the server or the configuration file; what was learned stays.
    public mutating func configure(_ policy: UploadPolicy) {
        if policy.backoffCapSeconds != self.policy.backoffCapSeconds {
            delay = RetryDelay(capSeconds: policy.backoffCapSeconds)
        }
        self.policy = policy
    }
}
