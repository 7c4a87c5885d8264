import Geofencing
import Timekeeping

/// Decides who is told what: shown, suppressed with a reason, or nothing to tell.
///
/// A value without clock or I/O. Invariants:
/// - An event happens whatever is decided here.
/// - Only what is shown claims a cooldown, in the state that is committed with its event.
/// - What is left of a cooldown lies between nothing and the whole of it: no clock, however wrong,
///   makes it longer.
public struct NotificationDesk: Sendable {
    public var book: NotificationBook
    public private(set) var state: NotificationState
    /// Whether `state` has changed since `markPersisted`.
    public private(set) var isStateChanged = false

    public init(book: NotificationBook, bootID: BootID, restoring state: NotificationState? = nil) {
        self.book = book
        self.state = state?.resumed(in: bootID) ?? NotificationState(bootID: bootID)
    }

    /// The state is on its way to the disk.
    public mutating func markPersisted() {
        isStateChanged = false
    }

    /// Decides occasions in their order, one decision for each. `now` is when they are decided.
    public mutating func decide(
        _ occasions: [NotificationOccasion], at now: Moment
    ) -> [NotificationDecision] {
        guard occasions.contains(where: { book[$0.fenceID] != nil }) else {
            return occasions.map { _ in .none }
        }
        settleClaims(at: now)
        var decisions: [NotificationDecision] = []
        var start = occasions.startIndex
        while start < occasions.endIndex {
            let detected = occasions[start].detected
            let end =
                occasions[start...].firstIndex { $0.detected != detected } ?? occasions.endIndex
            decisions += decide(oneFix: occasions[start..<end], at: now)
            start = end
        }
        return decisions
    }

    /// Takes over what the server says of an event: its claims are those of the server from then
    /// on. The answer is what the two think differently of; nil: nothing.
    ///
    /// What a person saw within the server's cooldown or above its cap stays claimed, since the
    /// server has a claim in force as well.
    public mutating func take(
        _ verdict: NotificationVerdict, on event: JudgedEvent, at now: Moment
    ) -> VerdictDisagreement? {
        guard verdict != .notApplicable, (verdict == .allowed) != (event.outcome == .shown) else {
            return nil
        }
        let claim = NotificationClaim(
            fenceID: event.fenceID, campaignID: event.campaignID, occurred: event.occurred,
            hours: hours(of: event))
        switch verdict {
        case .allowed: state.add(claim, at: now)
        case .quietHours, .window: state.claims.removeAll { $0.isSame(as: claim) }
        case .cooldown, .cap, .notApplicable: break
        }
        let disagreement = VerdictDisagreement(
            epoch: event.epoch, sequence: event.sequence, fenceID: event.fenceID,
            decision: event.outcome.rawValue, reason: event.reason, verdict: verdict.rawValue)
        let isKnown = state.disagreements.contains(disagreement)
        state.add(disagreement)
        isStateChanged = true
        return isKnown ? nil : disagreement
    }

    private func hours(of event: JudgedEvent) -> Double {
        let fence = book[event.fenceID]
        let campaign = fence?.campaigns.first { $0.id == event.campaignID }
        return NotificationState.hours(
            of: fence?.cooldownHours ?? book.rules.cooldownHours, campaign)
    }

    // MARK: - One fix

    /// One notification of a fix at most: the one of the greatest priority, then the first.
    private mutating func decide(
        oneFix occasions: ArraySlice<NotificationOccasion>, at now: Moment
    ) -> [NotificationDecision] {
        var decisions: [NotificationDecision] = []
        var best: (index: Int, fence: FenceNotices, campaign: Campaign)?
        for occasion in occasions {
            let (decision, candidate) = judge(occasion, at: now)
            if let candidate, best.map({ candidate.fence.priority > $0.fence.priority }) ?? true {
                best = (decisions.count, candidate.fence, candidate.campaign)
            }
            decisions.append(decision)
        }
        guard let best else { return decisions }
        let isShown = !isWithinBurst(priority: best.fence.priority, at: now)
        for index in decisions.indices where decisions[index].outcome == .shown {
            guard index != best.index || !isShown else { continue }
            decisions[index].outcome = .suppressed
            decisions[index].reason = NotificationDecision.Reason.burst.rawValue
            if isShown { decisions[index].basis = .outranked(by: best.fence.fenceID) }
        }
        if isShown {
            let occasion = occasions[occasions.startIndex + best.index]
            claim(best.fence, best.campaign, occasion.occurred, at: now)
        }
        return decisions
    }

    private func isWithinBurst(priority: Int, at now: Moment) -> Bool {
        guard let last = state.lastShown, let uptime = now.uptime else { return false }
        let elapsed = uptime.seconds(since: Uptime(milliseconds: last.uptimeMilliseconds))
        return elapsed >= 0 && elapsed < book.rules.burstSeconds && priority <= last.priority
    }

    private mutating func claim(
        _ fence: FenceNotices, _ campaign: Campaign, _ occurred: Moment, at now: Moment
    ) {
        let hours = NotificationState.hours(
            of: fence.cooldownHours ?? book.rules.cooldownHours, campaign)
        state.add(
            NotificationClaim(
                fenceID: fence.fenceID, campaignID: campaign.id, occurred: occurred, hours: hours),
            at: now)
        state.lastShown = now.uptime.map {
            NotificationState.LastShown(
                uptimeMilliseconds: $0.milliseconds, priority: fence.priority)
        }
        isStateChanged = true
    }

    private mutating func settleClaims(at now: Moment) {
        for index in state.claims.indices where state.claims[index].settle(at: now) {
            isStateChanged = true
        }
    }
}

/// A stored event as far as the server's verdict on it matters.
public struct JudgedEvent: Hashable, Sendable {
    public var epoch: String
    public var sequence: Int64
    public var fenceID: String
    public var campaignID: String?
    public var outcome: NotificationDecision.Outcome
    public var reason: String?
    /// The uptime is that of the present boot; nil: another one.
    public var occurred: Moment

    public init(
        epoch: String, sequence: Int64, fenceID: String, campaignID: String?,
        outcome: NotificationDecision.Outcome, reason: String?, occurred: Moment
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.fenceID = fenceID
        self.campaignID = campaignID
        self.outcome = outcome
        self.reason = reason
        self.occurred = occurred
    }
}

extension NotificationBasis {
    fileprivate static func outranked(by fenceID: String) -> NotificationBasis {
        var basis = NotificationBasis()
        basis.outrankedBy = fenceID
        return basis
    }
}
