import Campaigns
import Delivery
import Geofencing
import SQLite
import Timekeeping
import WireFormat

/// The server's verdicts on notifications, within the transaction that keeps their events.
///
/// Hours and validity are judged by the agent's own rules, on the fence as it is now. Cooldowns and
/// caps count from what was allowed before, in any order of receipt:
/// - What is allowed claims, and no later verdict takes that back.
/// - So what is older than a claim must keep away from it as well: no two allowed notifications of
///   one member (or device) lie closer together than their cooldown.
struct NotificationJudge {
    let workspace: Int64
    /// Whom the device spoke to.
    let subject: String
    let zones: any TimeZoneSource
    let connection: Connection
    private var rules = NotificationRules()
    /// Nil: `rules` have not been read yet.
    private var areRulesReadable: Bool?
    private var fences: [ExactText: FenceNotices] = [:]

    /// An event that was kept, and when it happened.
    struct Case {
        var rowID: Int64
        var event: IncomingEvent
        /// Nil: not known (yet).
        var occurred: UTCTime?
        var received: UTCTime

        /// Where it stands among the others.
        var time: UTCTime { occurred ?? received }
    }

    init(
        workspace: Int64, userID: String?, deviceID: String, zones: any TimeZoneSource,
        connection: Connection
    ) {
        self.workspace = workspace
        subject = Self.subject(userID: userID, deviceID: deviceID)
        self.zones = zones
        self.connection = connection
    }

    static func subject(userID: String?, deviceID: String) -> String {
        userID.map { "user \($0)" } ?? "device \(deviceID)"
    }

    /// Whether an event is one for which there may be a verdict: something was shown, or held back
    /// for a reason that the server knows as well.
    static func concerns(_ event: IncomingEvent) -> Bool {
        guard event.fenceID != nil, event.notification.campaignID != nil else { return false }
        switch event.notification.outcome {
        case .shown: return true
        case .suppressed:
            return event.notification.reason.flatMap(NotificationDecision.Reason.init)
                .map { $0 != .burst && $0 != .initialEnter } ?? false
        case .none: return false
        }
    }

    /// Judges an event, notes the verdict beside it and its claim where it is allowed.
    mutating func judge(_ item: Case) throws -> NotificationVerdict {
        guard let fenceID = item.event.fenceID, let campaignID = item.event.notification.campaignID,
            let kind = Transition.Kind(rawValue: item.event.kind.rawValue),
            var fence = try notices(of: fenceID),
            let campaign = fence.campaigns.first(where: { $0.id == campaignID }),
            campaign.trigger == kind
        else { return .notApplicable }
        fence.campaigns = [campaign]
        // Hours of the configuration that cannot be read may be quiet ones, as at the agent.
        if try !loadRules(), fence.quietHours == nil { fence.isReadable = false }
        let verdict =
            try hours(of: fence, item, kind) ?? cap(of: campaign, at: fence, item)
            ?? cooldown(of: campaign, at: fence, item) ?? .allowed
        if verdict == .allowed {
            try connection.run(
                """
                INSERT INTO notification_claims (workspace, subject, fence_id, campaign_id,
                    occurred_ms, event) VALUES (?, ?, ?, ?, ?, ?)
                """, workspace, subject, fenceID, campaignID,
                item.time.millisecondsSince1970, item.rowID)
        }
        try connection.run(
            "UPDATE events SET verdict = ? WHERE id = ?", verdict.rawValue, item.rowID)
        return verdict
    }

    /// What windows, quiet hours and validity say; a desk that has shown nothing knows no others.
    private func hours(
        of fence: FenceNotices, _ item: Case, _ kind: Transition.Kind
    ) -> NotificationVerdict? {
        let moment = Moment(uptime: nil, utc: item.occurred)
        var desk = NotificationDesk(
            book: NotificationBook([fence], rules: rules, zones: zones),
            bootID: BootID("server"))
        let occasion = NotificationOccasion(
            fenceID: fence.fenceID, kind: kind, occurred: moment, detected: moment)
        let decision = desk.decide([occasion], at: moment).first ?? .none
        switch decision.outcome {
        case .shown: return nil
        case .none: return .notApplicable
        case .suppressed:
            let isQuiet = decision.reason == NotificationDecision.Reason.quietHours.rawValue
            return isQuiet ? .quietHours : .window
        }
    }

    /// Counts what the campaign was allowed at all fences on the day of this one's zone.
    private func cap(
        of campaign: Campaign, at fence: FenceNotices, _ item: Case
    ) throws -> NotificationVerdict? {
        guard let limit = campaign.maxPerDay else { return nil }
        let zone =
            fence.timezone.flatMap(TimeZoneName.init).flatMap { zones.rules(of: $0) } ?? .utc
        let day = zone.localTime(at: item.time).daysSince1970
        // A day has up to 25 hours, and begins up to 26 hours from that of another zone.
        let reach = 3 * UTCTime.millisecondsPerDay
        let times = try connection.query(
            """
            SELECT occurred_ms FROM notification_claims WHERE workspace = ? AND subject = ?
                AND campaign_id = ? AND occurred_ms BETWEEN ? AND ?
            """, workspace, subject, campaign.id,
            item.time.advanced(byMilliseconds: -reach).millisecondsSince1970,
            item.time.advanced(byMilliseconds: reach).millisecondsSince1970
        ) { $0.time(0) }
        let count = times.count { zone.localTime(at: $0).daysSince1970 == day }
        return count >= limit ? .cap : nil
    }

    private func cooldown(
        of campaign: Campaign, at fence: FenceNotices, _ item: Case
    ) throws -> NotificationVerdict? {
        let fenceHours = fence.cooldownHours ?? rules.cooldownHours
        if try isClaimed(at: fence, nil, within: fenceHours, of: item.time) { return .cooldown }
        guard let hours = campaign.cooldownHours else { return nil }
        return try isClaimed(at: fence, campaign, within: hours, of: item.time) ? .cooldown : nil
    }

    /// Whether something was allowed nearer than `hours`, before or after.
    private func isClaimed(
        at fence: FenceNotices, _ campaign: Campaign?, within hours: Double, of time: UTCTime
    ) throws -> Bool {
        let reach = Int64(min(max(0, hours), CampaignLimits.cooldownHours.upperBound) * 3_600_000)
        return try connection.first(
            """
            SELECT 1 FROM notification_claims WHERE workspace = ? AND subject = ?
                AND fence_id = ? AND occurred_ms > ? AND occurred_ms < ?
                AND (? IS NULL OR campaign_id = ?) LIMIT 1
            """, workspace, subject, fence.fenceID,
            time.advanced(byMilliseconds: -reach).millisecondsSince1970,
            time.advanced(byMilliseconds: reach).millisecondsSince1970, campaign?.id, campaign?.id
        ) { $0.bool(0) } ?? false
    }

    private mutating func notices(of id: String) throws -> FenceNotices? {
        if let known = fences[ExactText(id)] { return known }
        let document = try connection.first(
            "SELECT document FROM fences WHERE workspace = ? AND fence_id = ?", workspace, id
        ) { $0.blob(0) }
        // An event must not wait for ever because something old beside it cannot be read.
        guard let document, let fence = try? WireCoding.decode(WireFence.self, from: document)
        else { return nil }
        let notices = NoticeSet([fence]).fences.first
        fences[ExactText(id)] = notices
        return notices
    }

    /// Whether the hours of the configuration could be read.
    private mutating func loadRules() throws -> Bool {
        if let areRulesReadable { return areRulesReadable }
        let stored = try SQLiteServerStore.configuration(of: workspace, on: connection)
        let config = stored.document.flatMap {
            try? WireCoding.decode(WireConfig.self, from: $0)
        }
        if let hours = config?.cooldownHours { rules.cooldownHours = hours }
        var isReadable = stored.document == nil || config != nil
        do {
            rules.quietHours = try config?.quietHours.flatMap {
                try WindowCheck.window($0, at: "/quiet_hours")
            }
        } catch {
            isReadable = false
        }
        areRulesReadable = isReadable
        return isReadable
    }
}
