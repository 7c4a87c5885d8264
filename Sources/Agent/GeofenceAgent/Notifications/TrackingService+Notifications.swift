import Campaigns
import Delivery
import Geofencing
import Timekeeping
import WireFormat

/// Who is told what. The decision is made with the event and committed with it; whoever is told is
/// told after that.
extension TrackingService {
    /// Reads what an earlier run has shown.
    func restoreNotifications() {
        guard let bytes = stored(.cooldowns) else { return }
        do throws(WireError) {
            let state = try WireCoding.decode(NotificationState.self, from: bytes)
            desk = NotificationDesk(book: desk.book, bootID: bootID, restoring: state)
        } catch {
            log.write(
                LogLine(.error, "what was shown cannot be read, cooldowns begin anew: \(error)"))
        }
    }

    /// What the fences from server, cache or file have to tell from now on.
    func take(_ notices: NoticeSet) {
        for problem in notices.problems where !givenNotices.problems.contains(problem) {
            log.write(LogLine(.warning, "notifications: \(problem)"))
        }
        givenNotices = notices
        renewBook()
    }

    /// Puts together what given fences and those of the device have to tell.
    func renewBook() {
        let before = desk.book.unknownZones
        let local = NoticeSet(localFences.fences)
        desk.book = givenNotices.book(
            with: local, burstSeconds: settings.notifications.burstSeconds,
            zones: settings.notifications.zones)
        for zone in desk.book.unknownZones where !before.contains(zone) {
            log.write(
                LogLine(
                    .warning,
                    "the tz database has no '\(zone)': nothing is shown where its hours matter"))
        }
    }

    /// Decides who is told of drafts, in their order, and notes it on them.
    func decideNotifications(_ drafts: inout [EventDraft]) {
        var places: [Int] = []
        var occasions: [NotificationOccasion] = []
        for (index, draft) in drafts.enumerated() {
            guard let occasion = NotificationOccasion(draft) else { continue }
            places.append(index)
            occasions.append(occasion)
        }
        guard !occasions.isEmpty else { return }
        let decisions = desk.decide(occasions, at: pipeline.moment(at: time.uptime))
        for (index, decision) in zip(places, decisions) {
            drafts[index].notification = decision
            notificationCounts.add(decision)
        }
    }

    /// The state of notifications, where it is news; it goes into the transaction of the events.
    func notificationValues() -> [StateKey: [UInt8]?] {
        guard desk.isStateChanged else { return [:] }
        do {
            let values: [StateKey: [UInt8]?] = [.cooldowns: try WireCoding.encode(desk.state)]
            desk.markPersisted()
            return values
        } catch {
            log.write(LogLine(.error, "what was shown cannot be written: \(error)"))
            return [:]
        }
    }

    /// Tells what an event that is on disk says is shown.
    func show(_ event: WireEvent) {
        guard event.notification.decision == NotificationDecision.Outcome.shown.rawValue,
            let id = event.fenceID?.text, let fence = desk.book[id],
            let campaign = fence.campaigns.first(where: {
                $0.id == event.notification.campaignID?.text
            })
        else { return }
        let notification = ShownNotification(event, fence, campaign, deviceID: settings.deviceID)
        log.write(
            LogLine(
                .notice,
                "notification of event \(event.sequence): campaign \(campaign.id), "
                    + "fence \(fence.fenceID): \(Self.printable(campaign.title))"))
        hub.publish(.notification(notification))
        for sink in settings.notifications.sinks { sink.show(notification) }
    }

    /// Takes over what the server says of events. The state is to be written with their receipts.
    func take(_ verdicts: [Int64: NotificationVerdict], of batch: OutgoingBatch) {
        let now = pipeline.moment(at: time.uptime)
        for disagreement in desk.take(verdicts, of: batch, bootID: bootID, at: now) {
            notificationCounts.disagreements += 1
            log.write(
                LogLine(
                    .warning,
                    "event \(disagreement.sequence) of fence \(disagreement.fenceID): "
                        + "\(disagreement.decision) here, \(disagreement.verdict) on the server"))
        }
    }

    /// Events of which server and device think differently, the newest last.
    func disagreements() -> [VerdictDisagreement] { desk.state.disagreements }

    func notificationStatus() -> AgentStatus.Notifications {
        AgentStatus.Notifications(
            campaigns: desk.book.campaignCount, shown: notificationCounts.shown,
            suppressed: notificationCounts.suppressed,
            disagreements: notificationCounts.disagreements,
            lastDisagreements: Array(desk.state.disagreements.suffix(Self.listedDisagreements)),
            unknownZones: desk.book.unknownZones, problems: givenNotices.problems,
            sinks: settings.notifications.sinks.map(\.report))
    }

    /// A title comes from elsewhere, and a line of the journal is one line.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 ? " " : $0 }))
    }

    /// Disagreements that `status` lists.
    private static let listedDisagreements = 10
}

extension NotificationOccasion {
    /// Nil for events that nobody is told of.
    fileprivate init?(_ draft: EventDraft) {
        guard let fenceID = draft.fenceID, let kind = Transition.Kind(rawValue: draft.kind.rawValue)
        else { return nil }
        self.init(
            fenceID: fenceID, kind: kind, occurred: draft.occurred, detected: draft.detected,
            mayNotify: draft.mayNotify, reason: draft.reason)
    }
}
