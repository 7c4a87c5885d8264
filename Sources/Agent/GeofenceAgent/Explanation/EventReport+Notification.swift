import Campaigns
import WireFormat

extension EventReport {
    /// Who was told of the event, and the arithmetic behind it; empty where there was nothing to tell.
    static func notificationWords(_ event: WireEvent) -> [String] {
        let notification = event.notification
        var lines: [String] = []
        let campaign = notification.campaignID.map { "campaign \($0.text)" } ?? "a campaign"
        switch NotificationDecision.Outcome(rawValue: notification.decision) {
        case .shown: lines.append("notification of \(campaign): shown")
        case .suppressed:
            let reason = notification.reason ?? "no reason given"
            lines.append(
                "notification of \(campaign): suppressed, \(words(reason, notification.basis))")
        case .some(.none), nil: break
        }
        if let verdict = event.serverNotificationVerdict {
            lines.append("the server thinks otherwise: \(verdict)")
        }
        return lines
    }

    private static func words(_ reason: String, _ basis: NotificationBasis?) -> String {
        switch NotificationDecision.Reason(rawValue: reason) {
        case .cooldown: cooldown(basis)
        case .quietHours: "quiet hours \(basis?.window ?? "?"), and it was \(clock(basis))"
        case .window: "active \(basis?.window ?? "?"), and it was \(clock(basis))"
        case .cap:
            "shown \(basis?.shownToday ?? 0) times on that day in \(basis?.timezone ?? "?"), "
                + "at most \(basis?.maxPerDay ?? 0)"
        case .burst:
            basis?.outrankedBy.map { "fence \($0) was told instead" }
                ?? "another one was shown just before"
        case .initialEnter: "monitoring began inside, and the fence does not want that told"
        case .notYetValid: "not valid yet"
        case .expired: "no longer valid"
        case .timeUnknown: "its hours matter, and what time it was is not known"
        case .zoneUnknown: "its hours matter, and the tz database does not have the fence's zone"
        case .unreadableRules: "its hours cannot be read, and may be quiet ones"
        case nil: "nobody left: \(reason)"
        }
    }

    /// "cooldown 24 h, shown 3 h 12 min ago: 20 h 48 min left"
    private static func cooldown(_ basis: NotificationBasis?) -> String {
        guard let basis, let cooldown = basis.cooldownSeconds, let since = basis.sinceShownSeconds,
            let left = basis.remainingSeconds
        else { return "cooldown" }
        let whose = basis.cooldownOf == "campaign" ? "cooldown of the campaign" : "cooldown"
        return "\(whose) \(Measures.span(cooldown)), shown \(Measures.span(since)) ago: "
            + "\(Measures.span(left)) left"
    }

    private static func clock(_ basis: NotificationBasis?) -> String {
        "\(basis?.localTime ?? "?") in \(basis?.timezone ?? "?")"
    }
}
