import Geofencing
import Timekeeping

/// What speaks against one notification, looked at for itself.
extension NotificationDesk {
    typealias Candidate = (fence: FenceNotices, campaign: Campaign)

    /// The decision on an occasion as if it were alone, and the campaign that may be shown.
    func judge(
        _ occasion: NotificationOccasion, at now: Moment
    ) -> (NotificationDecision, Candidate?) {
        guard let fence = book[occasion.fenceID] else { return (.none, nil) }
        var first: NotificationDecision?
        for campaign in fence.campaigns where campaign.trigger == occasion.kind {
            let refusal = refusal(of: campaign, at: fence, occasion, now)
            let decision = NotificationDecision(
                outcome: refusal == nil ? .shown : .suppressed, reason: refusal?.reason,
                campaignID: campaign.id, campaignVersion: campaign.version,
                basis: refusal?.basis)
            guard refusal != nil else { return (decision, (fence, campaign)) }
            first = first ?? decision
        }
        return (first ?? .none, nil)
    }

    private struct Refusal {
        var reason: String
        var basis: NotificationBasis?

        init(_ reason: NotificationDecision.Reason, _ basis: NotificationBasis? = nil) {
            self.reason = reason.rawValue
            self.basis = basis
        }

        init(transition reason: String) {
            self.reason = reason
        }
    }

    private func refusal(
        of campaign: Campaign, at fence: FenceNotices, _ occasion: NotificationOccasion,
        _ now: Moment
    ) -> Refusal? {
        if !occasion.mayNotify { return Refusal(.initialEnter) }
        // The fence went, or the sight of the device: nobody left.
        if occasion.kind == .exit, let reason = occasion.reason {
            return Refusal(transition: reason)
        }
        return validity(of: campaign, occasion, now) ?? hours(of: fence, occasion)
            ?? cap(of: campaign, at: fence, occasion)
            ?? cooldown(of: campaign, at: fence, occasion)
    }

    /// What has run out while nobody looked is not shown either.
    private func validity(
        of campaign: Campaign, _ occasion: NotificationOccasion, _ now: Moment
    ) -> Refusal? {
        guard campaign.isTimeLimited else { return nil }
        guard let time = occasion.occurred.utc else { return Refusal(.timeUnknown) }
        if let from = campaign.validFrom, time < from { return Refusal(.notYetValid) }
        if let until = campaign.validUntil, max(time, now.utc ?? time) >= until {
            return Refusal(.expired)
        }
        return nil
    }

    private func hours(of fence: FenceNotices, _ occasion: NotificationOccasion) -> Refusal? {
        guard fence.isReadable else { return Refusal(.unreadableRules) }
        let quiet = fence.quietHours ?? book.rules.quietHours
        guard quiet != nil || !fence.activeWindows.isEmpty else { return nil }
        guard let time = occasion.occurred.utc else { return Refusal(.timeUnknown) }
        guard let zone = book.zone(of: fence) else { return Refusal(.zoneUnknown) }
        let local = zone.localTime(at: time)
        var basis = NotificationBasis()
        basis.localTime = local.words
        basis.timezone = fence.timezone ?? "UTC"
        if let quiet, quiet.contains(local) {
            basis.window = "\(quiet)"
            return Refusal(.quietHours, basis)
        }
        if !fence.activeWindows.isEmpty,
            !fence.activeWindows.contains(where: { $0.contains(local) })
        {
            basis.window = fence.activeWindows.map(\.description).joined(separator: ", ")
            return Refusal(.window, basis)
        }
        return nil
    }

    /// Without a time the last 24 hours are the day.
    private func cap(
        of campaign: Campaign, at fence: FenceNotices, _ occasion: NotificationOccasion
    ) -> Refusal? {
        guard let limit = campaign.maxPerDay else { return nil }
        let zone = book.zone(of: fence) ?? .utc
        let day = occasion.occurred.utc.map { zone.localTime(at: $0).daysSince1970 }
        let count = state.claims.count { claim in
            guard claim.campaignID == campaign.id else { return false }
            let age = claim.age(at: occasion.occurred)
            guard let day, let time = occasion.occurred.utc,
                claim.occurred.uptime != nil || claim.occurred.utc != nil
            else { return age < UTCTime.millisecondsPerDay }
            return zone.localTime(at: time.advanced(byMilliseconds: -age)).daysSince1970 == day
        }
        guard count >= limit else { return nil }
        var basis = NotificationBasis()
        basis.shownToday = count
        basis.maxPerDay = limit
        basis.timezone = fence.timezone ?? "UTC"
        return Refusal(.cap, basis)
    }

    /// The fence's cooldown counts from whatever was shown at the fence, a campaign's own from what
    /// the campaign has shown there. The one that lasts longer is the reason.
    private func cooldown(
        of campaign: Campaign, at fence: FenceNotices, _ occasion: NotificationOccasion
    ) -> Refusal? {
        var longest: NotificationBasis?
        func look(_ name: String, hours: Double, _ isHeld: (NotificationClaim) -> Bool) {
            let ages = state.claims.filter(isHeld).map { $0.age(at: occasion.occurred) }
            guard let age = ages.min() else { return }
            let cooldown = max(0, hours * 3600)
            let elapsed = Double(age) / 1000
            let remaining = min(max(0, cooldown - elapsed), cooldown)
            guard remaining > 0, remaining > longest?.remainingSeconds ?? 0 else { return }
            var basis = NotificationBasis()
            basis.cooldownOf = name
            basis.cooldownSeconds = cooldown
            basis.sinceShownSeconds = elapsed
            basis.remainingSeconds = remaining
            longest = basis
        }
        look("fence", hours: fence.cooldownHours ?? book.rules.cooldownHours) {
            $0.fenceID == fence.fenceID
        }
        if let hours = campaign.cooldownHours {
            look("campaign", hours: hours) {
                $0.fenceID == fence.fenceID && $0.campaignID == campaign.id
            }
        }
        return longest.map { Refusal(.cooldown, $0) }
    }
}

extension LocalTime {
    /// `mon 23:14`
    fileprivate var words: String {
        "\(weekday.shortName) \(WeeklyWindow.clock(minuteOfDay))"
    }
}
