import Campaigns
import Delivery
import Geofencing
import Timekeeping
import WireFormat

extension NotificationDesk {
    /// The desk that an agent left in a queue, with what the fences of server and device had to tell;
    /// nil: what was shown cannot be read. It takes over verdicts; for decisions it has no time zones.
    init?(storedIn queue: any EventQueue, bootID: BootID) {
        func stored(_ key: StateKey) throws(QueueError) -> [UInt8] { try queue.state(key) ?? [] }
        guard let state = try? stored(.cooldowns), let answer = try? stored(.fences),
            let device = try? stored(.localFences)
        else { return nil }
        let given = (try? NoticeSet(answer: answer)) ?? NoticeSet()
        let local = try? WireCoding.decode(LocalFences.self, from: device)
        var shown: NotificationState?
        if !state.isEmpty {
            shown = try? WireCoding.decode(NotificationState.self, from: state)
            guard shown != nil else { return nil }
        }
        self.init(
            book: given.book(
                with: NoticeSet(local?.fences ?? []), burstSeconds: 0, zones: NoTimeZones()),
            bootID: bootID, restoring: shown)
    }

    /// Takes over what the server says of the events of a batch, by their keys; the answer is of what
    /// it thinks otherwise, which is news. The state is to be written with the receipts.
    mutating func take(
        _ verdicts: [Int64: NotificationVerdict], of batch: OutgoingBatch, bootID: BootID,
        at now: Moment
    ) -> [VerdictDisagreement] {
        batch.events.compactMap { event in
            guard let verdict = verdicts[event.key], verdict != .notApplicable,
                let wire = try? WireCoding.decode(WireEvent.self, from: event.payload),
                let judged = JudgedEvent(wire, bootID: bootID)
            else { return nil }
            return take(verdict, on: judged, at: now)
        }
    }
}

extension JudgedEvent {
    /// Nil for events that nobody is told of.
    fileprivate init?(_ event: WireEvent, bootID: BootID) {
        guard let fenceID = event.fenceID?.text, Transition.Kind(rawValue: event.type) != nil,
            let outcome = NotificationDecision.Outcome(rawValue: event.notification.decision)
        else { return nil }
        let uptime = event.occurredMonoMilliseconds ?? event.monoMilliseconds
        self.init(
            epoch: event.queueEpoch, sequence: event.sequence, fenceID: fenceID,
            campaignID: event.notification.campaignID?.text, outcome: outcome,
            reason: event.notification.reason,
            occurred: Moment(
                uptime: event.bootID == bootID.text
                    ? uptime.map(Uptime.init(milliseconds:)) : nil,
                utc: event.occurredAt?.time))
    }
}
