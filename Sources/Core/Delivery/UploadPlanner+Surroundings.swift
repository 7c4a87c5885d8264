import Timekeeping

/// What changed around the uploads.
extension UploadPlanner {
    /// The network changed. It is a hint that wakes, never a gate.
    ///
    /// After a local failure the backoff starts anew, and the first try comes within ten seconds,
    /// spread so that a fleet does not come back in the same second. After a failure of the server
    /// nothing changes. A request that nobody answered while there was no route failed locally,
    /// whatever it looked like. `random` is uniform in 0 ..< 1.
    public mutating func networkChanged(hasRoute: Bool, at now: Uptime, random: Double) {
        let spread = min(max(random, 0), 1) * UploadPolicy.networkSpreadSeconds
        guard network.changed(hasRoute: hasRoute, spreadSeconds: spread), isFailureLocal else {
            return
        }
        delay.reset()
        let first = now.advanced(bySeconds: spread)
        notBefore = notBefore.map { min($0, first) } ?? first
    }

    /// The queue gives its keys in this epoch from now on; to be told before each `step`.
    ///
    /// In another one than before the same keys name other events, which must not wait for what was
    /// said of the old ones. Those that are still there go as ordinary ones. What the server was
    /// found to be like, and the requests of the hour, are no matter of keys and stay.
    public mutating func useKeys(ofEpoch epoch: String) {
        guard epoch != self.epoch else { return }
        self.epoch = epoch
        deferrals = Deferrals()
        refusedEvents.forget()
        exhausted = nil
    }

    /// The server does not know this device, as another request than an upload has found out.
    public mutating func refusedElsewhere(_ reason: String, at now: Uptime) {
        pause(
            .authenticationFailed, reason, at: now,
            seconds: UploadPolicy.authenticationProbeSeconds)
    }

    /// The server knows this device again: the next probe need not wait.
    public mutating func acceptedElsewhere() {
        if connectivity == .authenticationFailed { notBefore = nil }
    }

    /// Until when uploads wait because the server does not know this device; nil: it does.
    public var refusedUntil: Uptime? {
        connectivity == .authenticationFailed ? notBefore : nil
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
