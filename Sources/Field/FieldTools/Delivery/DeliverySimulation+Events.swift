import Delivery
import Geofencing
import Simulation
import Timekeeping

/// Events of the device, committed.
extension DeliverySimulation {
    mutating func commit(_ count: Int, anchor: ClockAnchor? = nil) throws {
        guard let queue else { return }
        var values: [StateKey: [UInt8]?] = outbox.unstoredValues
        if count > 0 { values[.pipeline] = Array(String(account.commits + 1).utf8) }
        if !network.isCalm, climate.kind == .crashes, count > 0, random.uniform() < 0.2 {
            let fault: SimulatedDisk.Fault =
                random.uniform() < 0.5 ? .endsBeforeCommit : .endsAfterCommit
            if storage.arm(fault) { account.uncertain = .events(count: count, madeAt: now) }
        }
        let drafts = (0..<count).map { _ in draft() }
        let events: [Event]
        do throws(QueueError) {
            events = try queue.commit(
                drafts, state: StateUpdate(values: values, clockAnchor: anchor))
        } catch {
            guard error == .closed, account.uncertain != nil else { throw error }
            return try kill("within a commit of \(count)")
        }
        outbox.noteStored()
        try account.committed(events, drafts: count, at: now)
        if let anchor { account.anchored(anchor.bootID) }
        say("committed \(events.map { "\($0.position.sequence) \($0.content.kind.rawValue)" })")
        for event in events.suffix(count) where !network.isCalm {
            if random.uniform() < climate.poisonRate {
                network.server.addPoison(event.clientEventID)
            }
            if random.uniform() < climate.unwantedRate {
                network.server.addUnwanted(event.clientEventID)
            }
        }
        if running == nil { wakeAt = now }
    }

    private static let kinds: [EventKind] = [
        .enter, .exit, .pass, .dwell, .visitStarted, .visitEnded,
    ]

    private mutating func draft() -> EventDraft {
        drafted += 1
        let truth = Self.epoch.advanced(byMilliseconds: now)
        let moment = Moment(uptime: clock.uptime, utc: isTimeKnown ? truth : nil)
        return EventDraft(
            kind: DeliveryClimate.pick(Self.kinds, &random), fenceID: "f\(drafted % 7)",
            bootID: clock.bootID, occurred: moment, detected: moment, wallClock: clock.wallClock,
            timeQuality: isTimeKnown ? .gnss : .monotonicOnly)
    }
}
